import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/server';
import { type Clock, epochSeconds } from '../clock.ts';
import type { Randomness } from '../randomness.ts';
import type { Accounts } from './accounts.ts';
import { isDisplayText } from './display-text.ts';
import { createNonces } from './nonces.ts';
import {
  type CeremonyExpectations,
  SIGNATURE_ALGORITHMS,
  verifyAssertion,
  verifyAttestation,
} from './passkey-ceremony.ts';
import { readAssertion, readAttestation } from './passkey-response.ts';
import type { Passkey, PasskeyStore } from './passkey-store.ts';
import { createTurns } from './turns.ts';

const CEREMONY_SECONDS = 300;
const USER_HANDLE_BYTES = 32;
const MAX_PASSKEYS = 20;

/** Why a passkey was not taken. For the audit and for metrics: outside, all of them are one answer. */
export type PasskeyRefusal =
  /** Not the form of a response at all. */
  | 'malformed'
  /** Signed for a beginning that was never made here, for something else, is too long ago or was used up. */
  | 'unknown_ceremony'
  /** Signature, origin, relying party, user verification or key are not what they must be. */
  | 'not_verified'
  /** No passkey of that credential id. */
  | 'unknown_passkey'
  /** The account is gone. */
  | 'no_account'
  /** The signature counter did not grow: there may be a copy of the authenticator. */
  | 'possible_clone'
  /** The credential is enrolled already, for this account or another. */
  | 'already_enrolled'
  /** The account has twenty. */
  | 'too_many_passkeys'
  /** Not a text that can be shown. The person may be told this one. */
  | 'invalid_label';

export interface PasskeyRefused {
  readonly kind: 'refused';
  readonly reason: PasskeyRefusal;
  /** Whose passkey it was, once that is known. */
  readonly accountId?: string;
}

export type EnrolmentStart =
  | { readonly kind: 'options'; readonly options: PublicKeyCredentialCreationOptionsJSON }
  | PasskeyRefused;

export type Enrolment = { readonly kind: 'enrolled'; readonly passkey: Passkey } | PasskeyRefused;

export type PasskeySignIn =
  | { readonly kind: 'signed_in'; readonly accountId: string; readonly passkeyId: string }
  | PasskeyRefused;

export interface PasskeysOptions {
  /** The relying party: a domain name, without port. */
  readonly rpId: string;
  /** What authenticators show. */
  readonly rpName: string;
  /** The one origin whose pages may use a passkey: `https://example.com`, with the port where there is one. */
  readonly origin: string;
  readonly accounts: Accounts;
  readonly store: PasskeyStore;
  readonly clock: Clock;
  readonly randomness: Randomness;
}

/**
 * Signs people in by passkey (Web Authentication, level 3). Whoever calls must have made sure that it is the account's
 * owner who enrols, and that the interaction is that of the browser which sends the response.
 */
export interface Passkeys {
  /** For `navigator.credentials.create`, good for five minutes, for this account only. */
  beginEnrolment(accountId: string): Promise<EnrolmentStart>;
  enrol(accountId: string, response: unknown, label: unknown): Promise<Enrolment>;
  /** For `navigator.credentials.get`, good for five minutes. Says nothing about who has an account. */
  beginSignIn(interactionUid: string): Promise<PublicKeyCredentialRequestOptionsJSON>;
  signIn(interactionUid: string, response: unknown): Promise<PasskeySignIn>;
}

export function createPasskeys(options: PasskeysOptions): Passkeys {
  const { rpId, rpName, origin, accounts, store, clock, randomness } = options;
  const nonces = createNonces({ clock, randomness, lifeSeconds: CEREMONY_SECONDS });
  const turns = createTurns();

  function expectationsFor(about: readonly string[]): CeremonyExpectations {
    return { rpId, origin, isChallenge: (challenge) => nonces.isGood(challenge, about) };
  }

  /** Enrols for one account that is there; of two who bring one credential at once, the second finds it taken. */
  async function enrolOnce(accountId: string, response: unknown, label: string): Promise<Enrolment> {
    const about = aboutEnrolment(accountId);
    const attestation = readAttestation(response);
    if (attestation === undefined) return refuse('malformed', accountId);
    const verified = await verifyAttestation(attestation, expectationsFor(about));
    if (verified.kind === 'refused') return refuse(verified.reason, accountId);
    const { credential, challenge } = verified;
    return await turns.take(credential.id, async () => {
      if ((await store.find(credential.id)) !== undefined) return refuse('already_enrolled', accountId);
      if ((await store.of(accountId)).length >= MAX_PASSKEYS) return refuse('too_many_passkeys', accountId);
      if (!nonces.spend(challenge, about, accountId)) return refuse('unknown_ceremony', accountId);
      const passkey = { ...credential, accountId, label, createdAt: epochSeconds(clock) };
      await store.save(passkey);
      return { kind: 'enrolled', passkey };
    });
  }

  async function signInOnce(interactionUid: string, response: unknown): Promise<PasskeySignIn> {
    const about = aboutSignIn(interactionUid);
    const assertion = readAssertion(response);
    if (assertion === undefined) return refuse('malformed');
    const owner = (await store.find(assertion.id))?.accountId;
    if (owner === undefined) return refuse('unknown_passkey');
    // In the account's turn, so that of two responses at once the second meets the counter of the first.
    const outcome = await accounts.hold<PasskeySignIn>(owner, async () => {
      const passkey = await store.find(assertion.id);
      if (passkey?.accountId !== owner) return refuse('unknown_passkey');
      const verified = await verifyAssertion(assertion, passkey, expectationsFor(about));
      if (verified.kind === 'refused') return refuse(verified.reason, owner);
      const { counter, challenge } = verified;
      // Only a genuine signature comes here: nobody can cry wolf about a passkey that is not theirs.
      const isBackwards = (counter > 0 || passkey.counter > 0) && counter <= passkey.counter;
      if (isBackwards) return refuse('possible_clone', owner);
      if (!nonces.spend(challenge, about, owner)) return refuse('unknown_ceremony', owner);
      if (counter !== passkey.counter) await store.save({ ...passkey, counter });
      return { kind: 'signed_in', accountId: owner, passkeyId: passkey.id };
    });
    return outcome ?? refuse('no_account', owner);
  }

  return {
    async beginEnrolment(accountId) {
      const account = await accounts.find(accountId);
      if (account === undefined) return refuse('no_account', accountId);
      const { generateRegistrationOptions } = await import('@simplewebauthn/server');
      const enrolled = await store.of(accountId);
      const created = await generateRegistrationOptions({
        rpID: rpId,
        rpName,
        userName: account.name,
        userDisplayName: account.name,
        // Random, since anyone who holds an authenticator may read it: it must tell nothing about the person.
        userID: new Uint8Array(randomness.bytes('passkey-user-handle', accountId, USER_HANDLE_BYTES)),
        challenge: challengeOf(nonces.issue(aboutEnrolment(accountId))),
        timeout: CEREMONY_SECONDS * 1000,
        attestationType: 'none',
        excludeCredentials: enrolled.map(({ id, transports }) => ({ id, transports: [...transports] })),
        authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
        supportedAlgorithmIDs: [...SIGNATURE_ALGORITHMS],
      });
      return { kind: 'options', options: created };
    },
    async enrol(accountId, response, label) {
      if (!isDisplayText(label)) return refuse('invalid_label', accountId);
      const outcome = await accounts.hold(accountId, () => enrolOnce(accountId, response, label));
      return outcome ?? refuse('no_account', accountId);
    },
    async beginSignIn(interactionUid) {
      const { generateAuthenticationOptions } = await import('@simplewebauthn/server');
      return await generateAuthenticationOptions({
        rpID: rpId,
        challenge: challengeOf(nonces.issue(aboutSignIn(interactionUid))),
        timeout: CEREMONY_SECONDS * 1000,
        userVerification: 'required',
      });
    },
    signIn: signInOnce,
  };
}

function aboutEnrolment(accountId: string): readonly string[] {
  return ['enrol', accountId];
}

function aboutSignIn(interactionUid: string): readonly string[] {
  return ['sign_in', interactionUid];
}

/** As bytes: text would be encoded a second time. */
function challengeOf(nonce: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.from(nonce, 'base64url'));
}

function refuse(reason: PasskeyRefusal, accountId?: string): PasskeyRefused {
  return accountId === undefined ? { kind: 'refused', reason } : { kind: 'refused', reason, accountId };
}
