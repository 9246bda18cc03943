import type { Kept } from './arrival.ts';
import { plainName, plainVersion } from './plain-name.ts';
import { KEYS, RPC_METHODS, SERVED_NAMES, SERVED_URIS, VALUES } from './vocabulary.ts';

const MOST_DEPTH = 12;
const MOST_ENTRIES = 32;
const MOST_NUMBER = 9_999;
const REVISION = /^20\d\d-\d\d-\d\d$/;

/** What is kept of a JSON value that a client sent to the server at `origin`. */
export function redactJson(value: unknown, origin: string): Kept {
  return redact(value, '', '', origin, 0);
}

/** What is kept of the fields of a query or a form; of a field that came twice, the last. */
export function redactFields(fields: URLSearchParams, origin: string): { readonly [key: string]: Kept } {
  const entries = [...fields].slice(0, MOST_ENTRIES);
  return Object.fromEntries(
    entries.map(([key, value]) => [keptKey(key), redactText(value, key, '', origin)]),
  );
}

function redact(value: unknown, key: string, parent: string, origin: string, depth: number): Kept {
  if (value === null || typeof value === 'boolean') return value;
  if (typeof value === 'number') return redactNumber(value, key);
  if (typeof value === 'string') return redactText(value, key, parent, origin);
  if (depth >= MOST_DEPTH) return '<deep>';
  if (Array.isArray(value))
    return value.slice(0, MOST_ENTRIES).map((each) => redact(each, key, parent, origin, depth + 1));
  const entries = Object.entries(value as object).slice(0, MOST_ENTRIES);
  return Object.fromEntries(
    entries.map(([inner, each]) => [keptKey(inner), redact(each, inner, key, origin, depth + 1)]),
  );
}

function keptKey(key: string): string {
  return KEYS.has(key) ? key : '<key>';
}

/** Ids are counted by most clients; how is worth knowing. No other number is. */
function redactNumber(value: number, key: string): Kept {
  const isCount = Number.isInteger(value) && value >= 0 && value <= MOST_NUMBER;
  return isCount && ['id', 'requestId', 'progressToken'].includes(key) ? value : '<number>';
}

function redactText(value: string, key: string, parent: string, origin: string): string {
  if (value === '') return '';
  switch (key) {
    case 'method':
      return RPC_METHODS.has(value) ? value : '<method>';
    case 'protocolVersion':
    case 'io.modelcontextprotocol/protocolVersion':
      return REVISION.test(value) ? value : '<revision>';
    case 'uri':
    case 'uris':
    case 'resourceSubscriptions':
      return SERVED_URIS.includes(value) ? value : '<uri>';
    case 'name':
      if (parent.toLowerCase().endsWith('clientinfo')) return plainName(value);
      return SERVED_NAMES.has(value) || VALUES.has(value) ? value : '<name>';
    case 'cursor':
      return '<cursor>';
    case 'id':
      return '<id>';
    case 'client_name':
      return plainName(value);
    case 'version':
    case 'software_version':
      return plainVersion(value);
    case 'redirect_uri':
    case 'redirect_uris':
      return redirectKind(value);
    case 'resource':
      return resourceKind(value, origin);
    case 'client_id':
      return value.startsWith('https://') ? '<https address>' : '<client id>';
    case 'scope':
      return value.split(' ').map(knownValue).join(' ');
    default:
      return knownValue(value);
  }
}

function knownValue(value: string): string {
  return VALUES.has(value) ? value : '<text>';
}

/** What sort of address a client wants to be sent back to; never the address. */
export function redirectKind(value: string): string {
  if (!URL.canParse(value)) return '<no address>';
  const { protocol, hostname } = new URL(value);
  if (protocol === 'https:') return '<https page>';
  if (protocol !== 'http:') return '<custom scheme>';
  if (hostname === 'localhost') return '<http localhost>';
  return hostname === '127.0.0.1' || hostname === '[::1]' ? '<http loopback address>' : '<http page>';
}

function resourceKind(value: string, origin: string): string {
  const own = `${origin}/mcp`;
  if (value === own) return '<this resource>';
  if (value === `${own}/`) return '<this resource with a slash>';
  return value === origin || value === `${origin}/` ? '<this origin>' : '<another resource>';
}
