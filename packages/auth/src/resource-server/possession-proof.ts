import type { JWK } from 'jose';
import { ASYMMETRIC_ALGORITHMS } from '../access-token-format.ts';
import { type Clock, epochSeconds } from '../clock.ts';
import { sha256Base64url } from '../digest.ts';

/** Ids that may be used once. */
export interface OneTimeIds {
  /** Uses it up; false when it was used before. Remembered until `expiresAt` (epoch seconds) at least. */
  use(id: string, expiresAt: number): Promise<boolean>;
}

/** What a proof has to be for. */
export interface ProofRequest {
  /** All values of the request's `DPoP` header. */
  readonly proofs: readonly string[];
  readonly method: string;
  /** Every address that the request may have been sent to: scheme, host and path. */
  readonly addresses: readonly string[];
}

export type CheckProof = (presented: {
  readonly token: string;
  /** RFC 7638 thumbprint of the key that the token is bound to. */
  readonly confirmation: string;
  readonly request: ProofRequest;
}) => Promise<'proven' | 'bad_proof' | 'proof_replayed'>;

const PRIVATE_MEMBERS = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'];
const MAX_PROOF_LENGTH = 4096;
const MAX_JTI_LENGTH = 256;
/** How old a proof may be, and how far ahead its maker's clock. */
const MAX_SKEW_SECONDS = 300;

/**
 * Judges DPoP proofs as RFC 9449, section 4.3, says: one proof, signed with the key that is in it and that the token is
 * bound to, for this request and this token, made now, and never seen before.
 */
export function createProofCheck({
  clock,
  ids,
}: {
  readonly clock: Clock;
  readonly ids: OneTimeIds;
}): CheckProof {
  return async ({ token, confirmation, request }) => {
    const [proof = ''] = request.proofs;
    if (request.proofs.length !== 1 || proof.length > MAX_PROOF_LENGTH) return 'bad_proof';
    const claims = await verifiedClaims(proof, confirmation);
    if (claims === undefined) return 'bad_proof';
    const { htm, htu, iat, ath, jti } = claims;
    const now = epochSeconds(clock);
    const isNow = typeof iat === 'number' && Math.abs(iat - now) <= MAX_SKEW_SECONDS;
    const isHere = typeof htu === 'string' && request.addresses.some((address) => isSame(htu, address));
    if (!isNow || !isHere || htm !== request.method || ath !== sha256Base64url(token)) return 'bad_proof';
    if (typeof jti !== 'string' || jti === '' || jti.length > MAX_JTI_LENGTH) return 'bad_proof';
    const isNew = await ids.use(JSON.stringify(['dpop', confirmation, jti]), now + 2 * MAX_SKEW_SECONDS);
    return isNew ? 'proven' : 'proof_replayed';
  };
}

/** The claims of a proof that its own key signed, if that is the key of the token; undefined for anything else. */
async function verifiedClaims(
  proof: string,
  confirmation: string,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  const { calculateJwkThumbprint, compactVerify, decodeProtectedHeader, importJWK } = await import('jose');
  try {
    const { typ, alg = '', jwk } = decodeProtectedHeader(proof);
    if (typ !== 'dpop+jwt' || !ASYMMETRIC_ALGORITHMS.includes(alg) || !isPublic(jwk)) return undefined;
    if ((await calculateJwkThumbprint(jwk)) !== confirmation) return undefined;
    const { payload } = await compactVerify(proof, await importJWK(jwk, alg), { algorithms: [alg] });
    const claims: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(payload));
    return typeof claims === 'object' && claims !== null ? (claims as Record<string, unknown>) : undefined;
  } catch {
    // Whatever a stranger's bytes made the library say, they prove nothing.
    return undefined;
  }
}

function isPublic(jwk: JWK | undefined): jwk is JWK {
  return jwk !== undefined && !PRIVATE_MEMBERS.some((member) => member in jwk);
}

/** The same address but for query and fragment, in whatever spelling of scheme and host (RFC 9449, section 4.3). */
function isSame(htu: string, address: string): boolean {
  const [one, other] = [URL.parse(htu), URL.parse(address)];
  return one !== null && other !== null && one.origin === other.origin && one.pathname === other.pathname;
}
