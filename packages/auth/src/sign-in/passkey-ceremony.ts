import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';
import type { Passkey } from './passkey-store.ts';

/** ES256, EdDSA and RS256 (IANA COSE algorithms), best first. */
export const SIGNATURE_ALGORITHMS: readonly number[] = [-7, -8, -257];

export interface CeremonyExpectations {
  readonly rpId: string;
  readonly origin: string;
  /** Whether the challenge that was signed (base64url) is one that this ceremony was begun with. */
  readonly isChallenge: (challenge: string) => boolean;
}

interface CeremonyRefused {
  readonly kind: 'refused';
  readonly reason: 'unknown_ceremony' | 'not_verified';
}

/** Checks a response to `navigator.credentials.create` (Web Authentication, level 3, section 7.1). */
export async function verifyAttestation(
  response: RegistrationResponseJSON,
  expected: CeremonyExpectations,
): Promise<
  | {
      readonly kind: 'verified';
      readonly credential: Pick<Passkey, 'id' | 'publicKey' | 'counter' | 'transports'>;
      readonly challenge: string;
    }
  | CeremonyRefused
> {
  const { verifyRegistrationResponse } = await import('@simplewebauthn/server');
  const challenge = createChallengeCheck(expected);
  try {
    if (!(await isUnattested(response)) || (await isFramed(response))) return NOT_VERIFIED;
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response,
      expectedChallenge: challenge.check,
      expectedOrigin: expected.origin,
      expectedRPID: expected.rpId,
      requireUserVerification: true,
      supportedAlgorithmIDs: [...SIGNATURE_ALGORITHMS],
    });
    if (!verified || registrationInfo.credential.id !== response.id) return NOT_VERIFIED;
    const { id, publicKey, counter, transports = [] } = registrationInfo.credential;
    return {
      kind: 'verified',
      credential: { id, publicKey, counter, transports },
      challenge: challenge.seen(),
    };
  } catch {
    // The library throws for every response that it refuses, with the sender's own bytes in the message.
    return challenge.refusal();
  }
}

/** Checks a response to `navigator.credentials.get` (section 7.2), all but the counter, which it gives. */
export async function verifyAssertion(
  response: AuthenticationResponseJSON,
  { id, publicKey }: Passkey,
  expected: CeremonyExpectations,
): Promise<
  { readonly kind: 'verified'; readonly counter: number; readonly challenge: string } | CeremonyRefused
> {
  const { verifyAuthenticationResponse } = await import('@simplewebauthn/server');
  const challenge = createChallengeCheck(expected);
  try {
    if (await isFramed(response)) return NOT_VERIFIED;
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response,
      expectedChallenge: challenge.check,
      expectedOrigin: expected.origin,
      expectedRPID: expected.rpId,
      requireUserVerification: true,
      // Zero lets every counter pass: the library would judge it before the signature, and so believe a forger.
      credential: { id, publicKey: new Uint8Array(publicKey), counter: 0 },
    });
    if (!verified) return NOT_VERIFIED;
    return { kind: 'verified', counter: authenticationInfo.newCounter, challenge: challenge.seen() };
  } catch {
    return challenge.refusal();
  }
}

const NOT_VERIFIED: CeremonyRefused = { kind: 'refused', reason: 'not_verified' };

/** Remembers which challenge the library was shown, and whether that was the reason to refuse. */
function createChallengeCheck({ isChallenge }: CeremonyExpectations) {
  let seen: string | undefined;
  let isKnown = true;
  return {
    check(challenge: string): boolean {
      seen = challenge;
      isKnown = isChallenge(challenge);
      return isKnown;
    },
    seen(): string {
      if (seen === undefined) throw new Error('a ceremony was verified without its challenge');
      return seen;
    },
    refusal: (): CeremonyRefused =>
      isKnown ? NOT_VERIFIED : { kind: 'refused', reason: 'unknown_ceremony' },
  };
}

/**
 * Whether no certificate comes with the key. None is asked for, and judging one means to read what a stranger made up
 * and to fetch the revocation lists that it names.
 */
async function isUnattested({ response }: RegistrationResponseJSON): Promise<boolean> {
  const { decodeAttestationObject, isoBase64URL } = await import('@simplewebauthn/server/helpers');
  const attestation = decodeAttestationObject(isoBase64URL.toBuffer(response.attestationObject));
  const format = attestation.get('fmt');
  // A key may vouch for itself without a certificate (section 8.2).
  return format === 'none' || (format === 'packed' && attestation.get('attStmt').get('x5c') === undefined);
}

/** Whether the page stood inside a page of another origin. None of ours ever does. */
async function isFramed({ response }: { readonly response: { clientDataJSON: string } }): Promise<boolean> {
  const { decodeClientDataJSON } = await import('@simplewebauthn/server/helpers');
  return decodeClientDataJSON(response.clientDataJSON).crossOrigin === true;
}
