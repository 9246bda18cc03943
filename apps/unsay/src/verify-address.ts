import { type OperationResult, refusal } from './operations/operation.ts';
import { asTyped } from './settings/as-typed.ts';

interface WireVersion {
  readonly version: number;
  readonly kind: string;
  readonly versionHash: string;
  readonly prevHash: string | null;
  readonly writtenAt: string;
}

interface WireChain {
  readonly uri: string;
  readonly versions: readonly WireVersion[];
  readonly intact: boolean;
  readonly brokenAt?: number;
}

const HASH = /^[0-9a-f]{64}$/;

/**
 * Checks what `GET /verify` of a server shows: that its chains link, and that it says so itself. Without the
 * content nobody else can recompute a hash; whoever wants that takes an export.
 */
export async function verifyAddress(url: string, token: string | null): Promise<OperationResult> {
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    return refusal(`${url} is no address of a server.`, 'It looks like http://localhost:8787.');
  const address = new URL('/verify', url);
  let answer: Response;
  let body: unknown;
  try {
    answer = await fetch(address, token === null ? {} : { headers: { authorization: `Bearer ${token}` } });
    body = await answer.json();
  } catch {
    return refusal(`${address} gave no answer that can be read.`, 'Is a server running there?');
  }
  if (answer.status === 401)
    return refusal('The server refused the token.', `Mint one: ${asTyped('token mint')}.`);
  const chains = answer.status === 200 ? chainsOf(body) : null;
  if (chains === null) return refusal(`${address} answered something else than chains.`, 'Is it Unsay?');
  const broken = chains.flatMap(({ uri, ...chain }) => {
    const version = firstFault(chain);
    return version === null ? [] : [{ uri, version }];
  });
  const versions = chains.reduce((sum, chain) => sum + chain.versions.length, 0);
  const intact = broken.length === 0;
  return { ok: intact, data: { intact, chains: chains.length, versions, erased: 0, broken } };
}

/** The first version that does not follow the one before it, or that the server itself calls broken. */
function firstFault({ versions, intact, brokenAt }: Omit<WireChain, 'uri'>): number | null {
  const said = intact ? null : (brokenAt ?? 1);
  const index = versions.findIndex((version, place) => !follows(version, versions[place - 1], place + 1));
  const found = versions.length === 0 ? 1 : index === -1 ? null : index + 1;
  return said === null || found === null ? (said ?? found) : Math.min(said, found);
}

function follows(version: WireVersion, previous: WireVersion | undefined, place: number): boolean {
  if (version.version !== place || !HASH.test(version.versionHash)) return false;
  if (previous === undefined) return version.prevHash === null && version.kind === 'create';
  return (
    version.prevHash === previous.versionHash &&
    (version.kind === 'revise' || version.kind === 'withdraw') &&
    version.writtenAt >= previous.writtenAt
  );
}

function chainsOf(body: unknown): WireChain[] | null {
  if (!isObject(body) || !Array.isArray(body.chains)) return null;
  return body.chains.every(isChain) ? body.chains : null;
}

function isChain(value: unknown): value is WireChain {
  if (!isObject(value) || typeof value.uri !== 'string' || typeof value.intact !== 'boolean') return false;
  const { brokenAt, versions } = value;
  const isPlace = brokenAt === undefined || typeof brokenAt === 'number';
  return isPlace && Array.isArray(versions) && versions.every(isVersion);
}

function isVersion(value: unknown): value is WireVersion {
  return (
    isObject(value) &&
    typeof value.version === 'number' &&
    ['kind', 'versionHash', 'writtenAt'].every((name) => typeof value[name] === 'string') &&
    (value.prevHash === null || typeof value.prevHash === 'string')
  );
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
