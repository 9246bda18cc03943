import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { createPasskeyScene, ORIGIN, type PasskeyScene, RP_ID } from '../../testing/passkey-scene.ts';
import { createSoftwareAuthenticator, type Misbehaviour } from '../../testing/software-authenticator.ts';

let scene: PasskeyScene;
let authenticator: ReturnType<typeof createSoftwareAuthenticator>;

beforeEach(async () => {
  scene = await createPasskeyScene();
  authenticator = createSoftwareAuthenticator(ORIGIN);
  await scene.enrol('nora', authenticator);
});

function refused(reason: string) {
  return { kind: 'refused', reason, accountId: 'nora' };
}

const SIGNED_IN = { kind: 'signed_in', accountId: 'nora' };

it('a page is told to ask for any passkey, whoever is there', async () => {
  const options = await scene.passkeys.beginSignIn('interaction');
  expect(options).toMatchObject({ rpId: RP_ID, userVerification: 'required', timeout: 300_000 });
  expect(options.allowCredentials).toBeUndefined();
});

describe('a sign-in', () => {
  it('names the account and the passkey, and remembers the counter', async () => {
    expect(await scene.signIn(authenticator)).toEqual({ ...SIGNED_IN, passkeyId: authenticator.id });
    expect(await scene.passkeyStore.find(authenticator.id)).toMatchObject({ counter: 1 });
  });

  it.each<[string, string, Misbehaviour]>([
    ['another origin', 'not_verified', { origin: 'https://evil.example' }],
    ['another relying party', 'not_verified', { rpId: 'evil.example' }],
    ['no user verification', 'not_verified', { isUserVerified: false }],
    ['no user present', 'not_verified', { isUserPresent: false }],
    ['the type of an enrolment', 'not_verified', { type: 'webauthn.create' }],
    ['a page inside another page', 'not_verified', { clientData: { crossOrigin: true } }],
    ['another challenge', 'unknown_ceremony', { challenge: 'A'.repeat(72) }],
    ['no challenge', 'unknown_ceremony', { challenge: '' }],
  ])('is refused with %s', async (_what, reason, how) => {
    expect(await scene.signIn(authenticator, how)).toEqual(refused(reason));
    expect(await scene.signIn(authenticator)).toMatchObject(SIGNED_IN);
  });

  it('is refused the second time, though the first was genuine', async () => {
    const response = authenticator.get(await scene.passkeys.beginSignIn('interaction'), { counter: 0 });
    expect(await scene.passkeys.signIn('interaction', response)).toMatchObject(SIGNED_IN);
    expect(await scene.passkeys.signIn('interaction', response)).toEqual(refused('unknown_ceremony'));
  });

  it('that is brought again is no sign of a copy', async () => {
    const response = authenticator.get(await scene.passkeys.beginSignIn('interaction'));
    expect(await scene.passkeys.signIn('interaction', response)).toMatchObject(SIGNED_IN);
    expect(await scene.passkeys.signIn('interaction', response)).toEqual(refused('unknown_ceremony'));
  });

  it('comes of one of many at once', async () => {
    const response = authenticator.get(await scene.passkeys.beginSignIn('interaction'), { counter: 0 });
    const outcomes = await Promise.all(
      Array.from({ length: 10 }, () => scene.passkeys.signIn('interaction', response)),
    );
    expect(outcomes.filter(({ kind }) => kind === 'signed_in')).toHaveLength(1);
  });

  it('is refused in another interaction than it was begun in, and stays good in its own', async () => {
    const response = authenticator.get(await scene.passkeys.beginSignIn('interaction'));
    expect(await scene.passkeys.signIn('another', response)).toEqual(refused('unknown_ceremony'));
    expect(await scene.passkeys.signIn('interaction', response)).toMatchObject(SIGNED_IN);
  });

  it('is refused with the challenge of an enrolment', async () => {
    const { challenge } = await scene.enrolmentOptions('nora');
    expect(await scene.signIn(authenticator, { challenge })).toEqual(refused('unknown_ceremony'));
  });

  it('takes at most five minutes', async () => {
    const options = await scene.passkeys.beginSignIn('interaction');
    scene.clock.advanceSeconds(299);
    const early = await scene.passkeys.signIn('interaction', authenticator.get(options));
    expect(early).toMatchObject(SIGNED_IN);
    const later = await scene.passkeys.beginSignIn('interaction');
    scene.clock.advanceSeconds(300);
    const late = await scene.passkeys.signIn('interaction', authenticator.get(later));
    expect(late).toEqual(refused('unknown_ceremony'));
  });

  it('is not pushed out by thousands that others begin', async () => {
    const options = await scene.passkeys.beginSignIn('interaction');
    for (let n = 0; n < 5000; n += 1) await scene.passkeys.beginSignIn(`stranger ${n}`);
    const response = authenticator.get(options);
    expect(await scene.passkeys.signIn('interaction', response)).toMatchObject(SIGNED_IN);
  });
});

describe('a passkey', () => {
  it('that was never enrolled signs nobody in', async () => {
    const stranger = createSoftwareAuthenticator(ORIGIN, 'never enrolled');
    expect(await scene.signIn(stranger)).toEqual({ kind: 'refused', reason: 'unknown_passkey' });
  });

  it('signs in its own account and no other', async () => {
    const bens = createSoftwareAuthenticator(ORIGIN, "ben's");
    await scene.enrol('ben', bens);
    const options = await scene.passkeys.beginSignIn('interaction');
    const renamed = { ...bens.get(options), id: authenticator.id, rawId: authenticator.id };
    expect(await scene.passkeys.signIn('interaction', renamed)).toEqual(refused('not_verified'));
    expect(await scene.signIn(bens)).toMatchObject({ accountId: 'ben' });
  });

  it('of an account that was removed signs nobody in, though the store kept it', async () => {
    const passkey = await scene.passkeyStore.find(authenticator.id);
    if (passkey === undefined) throw new Error('not enrolled');
    await scene.accounts.remove('nora');
    expect(await scene.signIn(authenticator)).toMatchObject({ reason: 'unknown_passkey' });
    await scene.passkeyStore.save(passkey);
    expect(await scene.signIn(authenticator)).toEqual(refused('no_account'));
  });

  it('that goes away while its response waits signs nobody in, and is not kept again', async () => {
    const response = authenticator.get(await scene.passkeys.beginSignIn('interaction'));
    const gate = Promise.withResolvers<void>();
    const held = scene.accounts.hold('nora', () => gate.promise);
    const outcome = scene.passkeys.signIn('interaction', response);
    await new Promise(setImmediate);
    await scene.passkeyStore.remove(authenticator.id);
    gate.resolve();
    await held;
    expect(await outcome).toEqual({ kind: 'refused', reason: 'unknown_passkey' });
    expect(await scene.passkeyStore.find(authenticator.id)).toBeUndefined();
  });

  it.each([2, 1, 0])('whose counter says %i after 2 may have a copy', async (counter) => {
    expect(await scene.signIn(authenticator, { counter: 2 })).toMatchObject(SIGNED_IN);
    expect(await scene.signIn(authenticator, { counter })).toEqual(refused('possible_clone'));
    expect(await scene.passkeyStore.find(authenticator.id)).toMatchObject({ counter: 2 });
    expect(await scene.signIn(authenticator, { counter: 3 })).toMatchObject(SIGNED_IN);
  });

  it('without a counter signs in again and again', async () => {
    expect(await scene.signIn(authenticator, { counter: 0 })).toMatchObject(SIGNED_IN);
    expect(await scene.signIn(authenticator, { counter: 0 })).toMatchObject(SIGNED_IN);
  });

  it('is not called a copy by somebody who cannot sign', async () => {
    await scene.signIn(authenticator, { counter: 2 });
    const impostor = createSoftwareAuthenticator(ORIGIN);
    expect(await scene.signIn(impostor, { counter: 1 })).toEqual(refused('not_verified'));
  });
});

it('every bit of what is signed, and of the signature, counts', async () => {
  const genuine = authenticator.get(await scene.passkeys.beginSignIn('interaction'));
  let flipped = 0;
  for (const member of ['clientDataJSON', 'authenticatorData', 'signature'] as const) {
    const bytes = Buffer.from(genuine.response[member], 'base64url');
    for (const at of member === 'signature' ? numbersOf(bytes) : bytes.keys()) {
      for (let bit = 1; bit < 256; bit *= 2) {
        const altered = Buffer.from(bytes);
        altered[at] = (altered[at] ?? 0) ^ bit;
        const response = { ...genuine.response, [member]: altered.toString('base64url') };
        const outcome = await scene.passkeys.signIn('interaction', { ...genuine, response });
        expect(outcome, `${member}, byte ${at}, bit ${bit}`).toMatchObject({ kind: 'refused' });
        flipped += 1;
      }
    }
  }
  expect(flipped).toBeGreaterThan(1500);
  expect(await scene.passkeys.signIn('interaction', genuine)).toMatchObject(SIGNED_IN);
});

/** Where the two numbers of an ECDSA signature are. The lengths around them are read leniently, which forges nothing. */
function numbersOf(signature: Buffer): readonly number[] {
  const second = 4 + (signature[3] ?? 0);
  return [...signature.keys()].filter((at) => (at >= 4 && at < second) || at >= second + 2);
}

it('what has not the form of a response is refused unread', async () => {
  const genuine = authenticator.get(await scene.passkeys.beginSignIn('interaction'));
  const { response } = genuine;
  const forms: unknown[] = [
    undefined,
    null,
    7,
    'text',
    [],
    {},
    { ...genuine, id: 7 },
    { ...genuine, rawId: 'other' },
    { ...genuine, type: 'password' },
    { ...genuine, id: 'x'.repeat(1365), rawId: 'x'.repeat(1365) },
    { ...genuine, response: null },
    { ...genuine, response: { ...response, signature: undefined } },
    { ...genuine, response: { ...response, authenticatorData: 'no base64url!' } },
    { ...genuine, response: { ...response, clientDataJSON: 'A'.repeat(16_385) } },
  ];
  for (const form of forms) {
    expect(await scene.passkeys.signIn('interaction', form)).toEqual({
      kind: 'refused',
      reason: 'malformed',
    });
    expect(await scene.passkeys.enrol('nora', form, 'phone')).toEqual(refused('malformed'));
  }
  expect(await scene.passkeys.signIn('interaction', genuine)).toMatchObject(SIGNED_IN);
});

it('any bytes in the place of the members are refused', async () => {
  const bytes = fc
    .uint8Array({ minLength: 1, maxLength: 300 })
    .map((a) => Buffer.from(a).toString('base64url'));
  await fc.assert(
    fc.asyncProperty(bytes, bytes, bytes, async (clientDataJSON, authenticatorData, signature) => {
      const response = { clientDataJSON, authenticatorData, signature, attestationObject: authenticatorData };
      const form = { id: authenticator.id, rawId: authenticator.id, type: 'public-key', response };
      expect(await scene.passkeys.signIn('interaction', form)).toEqual(refused('not_verified'));
      expect(await scene.passkeys.enrol('nora', form, 'phone')).toEqual(refused('not_verified'));
    }),
    { numRuns: 100 },
  );
});
