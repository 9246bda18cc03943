import type { Arrival, Kept } from './arrival.ts';
import { plainAgent } from './plain-name.ts';
import { redactFields, redactJson } from './redact-body.ts';
import {
  HTTP_METHODS,
  MEDIA_TYPES,
  PATHS,
  PRESENT_HEADERS,
  RPC_METHODS,
  SERVED_NAMES,
  SERVED_URIS,
  VALUES,
} from './vocabulary.ts';

/** A request as it arrived. */
export interface RawRequest {
  readonly method: string;
  /** The request target: path and query. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: Uint8Array;
}

/** The part of an arrival that the client sent. */
export type RedactedRequest = Pick<
  Arrival,
  'method' | 'path' | 'query' | 'headers' | 'otherHeaders' | 'body'
>;

type HeaderRule = (value: string) => string;

const HEADER_RULES: ReadonlyMap<string, HeaderRule> = new Map<string, HeaderRule>([
  ['accept', mediaTypes],
  ['content-type', mediaTypes],
  ['authorization', (value) => (/^bearer /i.test(value) ? '<bearer>' : '<other credential>')],
  ['host', (value) => (/^(localhost|127\.0\.0\.1)(:\d+)?$/.test(value) ? '<this host>' : '<another host>')],
  ['user-agent', plainAgent],
  ['mcp-protocol-version', (value) => (/^20\d\d-\d\d-\d\d$/.test(value) ? value : '<revision>')],
  ['mcp-method', (value) => (RPC_METHODS.has(value) ? value : '<method>')],
  ['mcp-name', (value) => (SERVED_NAMES.has(value) || SERVED_URIS.includes(value) ? value : '<name>')],
]);

/** What may be stored of a request to the server at `origin`. */
export function redactRequest(raw: RawRequest, origin: string): RedactedRequest {
  const [path = '', search = ''] = raw.target.split(/\?(.*)/s);
  const headers: Record<string, string> = {};
  let otherHeaders = 0;
  for (const [name, value] of Object.entries(raw.headers)) {
    const rule = HEADER_RULES.get(name);
    const first = typeof value === 'string' ? value : (value?.[0] ?? '');
    if (rule !== undefined) headers[name] = rule(first);
    else if (PRESENT_HEADERS.has(name)) headers[name] = '<given>';
    else otherHeaders += 1;
  }
  return withoutRepeats(
    {
      method: HTTP_METHODS.has(raw.method) ? raw.method : '<method>',
      path: PATHS.has(path) ? path : '<another path>',
      query: redactFields(new URLSearchParams(search), origin),
      headers,
      otherHeaders,
      body: redactBody(raw, origin),
    },
    credentialsIn(raw),
  );
}

function redactBody({ headers, body }: RawRequest, origin: string): Kept {
  if (body.length === 0) return null;
  const text = new TextDecoder().decode(body);
  if (String(headers['content-type']).startsWith('application/x-www-form-urlencoded')) {
    return redactFields(new URLSearchParams(text), origin);
  }
  try {
    return redactJson(JSON.parse(text), origin);
  } catch {
    return '<not json>';
  }
}

function mediaTypes(value: string): string {
  const types = value.split(',').map((type) => type.split(';')[0]?.trim().toLowerCase() ?? '');
  return types.map((type) => (MEDIA_TYPES.has(type) ? type : '<media type>')).join(', ');
}

/** Credentials are short on rare occasions; then a name that holds one is dropped, and nothing else could hold it. */
function credentialsIn({ headers, target }: RawRequest): readonly string[] {
  const given = ['authorization', 'proxy-authorization', 'cookie', 'x-api-key', 'mcp-session-id'];
  const values = given.flatMap((name) => String(headers[name] ?? '').split(/[\s;=,]+/));
  const search = new URLSearchParams(target.split(/\?(.*)/s)[1] ?? '');
  return [...values, ...search.values()].filter((value) => value.length >= 4 && !isWord(value));
}

function isWord(value: string): boolean {
  return VALUES.has(value) || /^(bearer|basic)$/i.test(value);
}

/** A client that gives its credential for its name gets neither stored. */
function withoutRepeats(request: RedactedRequest, credentials: readonly string[]): RedactedRequest {
  const holds = (text: string): boolean =>
    credentials.some((credential) => text.toLowerCase().includes(credential.toLowerCase()));
  const clean = (value: Kept, key: string): Kept => {
    if (typeof value === 'string')
      return ['name', 'version', 'client_name', 'user-agent'].includes(key) && holds(value)
        ? '<repeats a credential>'
        : value;
    if (Array.isArray(value)) return value.map((each: Kept) => clean(each, key));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([inner, each]) => [inner, clean(each, inner)]));
  };
  return {
    ...request,
    headers: clean(request.headers, '') as RedactedRequest['headers'],
    body: clean(request.body, ''),
  };
}
