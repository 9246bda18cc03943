import { beforeEach, describe, expect, it } from 'vitest';
import { createPasskeyScene, ORIGIN, type PasskeyScene, RP_ID } from '../../testing/passkey-scene.ts';
import { createSoftwareAuthenticator, type Misbehaviour } from '../../testing/software-authenticator.ts';

let scene: PasskeyScene;
let authenticator: ReturnType<typeof createSoftwareAuthenticator>;

beforeEach(async () => {
  scene = await createPasskeyScene();
  authenticator = createSoftwareAuthenticator(ORIGIN);
});

function refused(reason: string, accountId = 'nora') {
  return { kind: 'refused', reason, accountId };
}

describe('what a page is told to ask for', () => {
  it('is a passkey that is found without a name and verifies its user', async () => {
    expect(await scene.enrolmentOptions('nora')).toMatchObject({
      rp: { id: RP_ID, name: 'Unsay' },
      user: { name: 'nora', displayName: 'nora' },
      pubKeyCredParams: [
        { type: 'public-key', alg: -7 },
        { type: 'public-key', alg: -8 },
        { type: 'public-key', alg: -257 },
      ],
      timeout: 300_000,
      attestation: 'none',
      excludeCredentials: [],
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    });
  });

  it('says nothing of the account in its user handle, and never the same twice', async () => {
    const handles = [await scene.enrolmentOptions('nora'), await scene.enrolmentOptions('nora')];
    expect(new Set(handles.map(({ user }) => user.id)).size).toBe(2);
  });

  it('leaves out authenticators that have a passkey of the account', async () => {
    await scene.enrol('nora', authenticator);
    const own = [{ id: authenticator.id, type: 'public-key', transports: ['internal'] }];
    expect((await scene.enrolmentOptions('nora')).excludeCredentials).toEqual(own);
    expect((await scene.enrolmentOptions('ben')).excludeCredentials).toEqual([]);
  });

  it('is nothing for nobody', async () => {
    expect(await scene.passkeys.beginEnrolment('zoe')).toEqual(refused('no_account', 'zoe'));
  });
});

describe('a passkey', () => {
  it('is kept with its label, and signs in', async () => {
    expect(await scene.enrol('nora', authenticator)).toMatchObject({
      kind: 'enrolled',
      passkey: {
        id: authenticator.id,
        accountId: 'nora',
        counter: 0,
        transports: ['internal'],
        label: 'phone',
        createdAt: scene.clock.now() / 1000,
      },
    });
    expect(await scene.signIn(authenticator)).toMatchObject({ kind: 'signed_in', accountId: 'nora' });
  });

  it('may vouch for itself, but brings no certificate', async () => {
    expect(await scene.enrol('nora', authenticator, { attestation: 'certified' })).toEqual(
      refused('not_verified'),
    );
    expect(await scene.enrol('nora', authenticator, { attestation: 'self' })).toMatchObject({
      kind: 'enrolled',
    });
  });

  it('has the id that its own authenticator gave it', async () => {
    const response = authenticator.create(await scene.enrolmentOptions('nora'));
    const renamed = { ...response, id: 'bmV3', rawId: 'bmV3' };
    expect(await scene.passkeys.enrol('nora', renamed, 'phone')).toEqual(refused('not_verified'));
  });

  it.each<[string, string, Misbehaviour]>([
    ['another origin', 'not_verified', { origin: 'https://unsay.example.evil.example' }],
    ['the origin with a port', 'not_verified', { origin: `${ORIGIN}:8443` }],
    ['the origin without TLS', 'not_verified', { origin: 'http://unsay.example' }],
    ['another relying party', 'not_verified', { rpId: 'evil.example' }],
    ['no user verification', 'not_verified', { isUserVerified: false }],
    ['no user present', 'not_verified', { isUserPresent: false }],
    ['the type of a sign-in', 'not_verified', { type: 'webauthn.get' }],
    ['a page inside another page', 'not_verified', { clientData: { crossOrigin: true } }],
    ['another challenge', 'unknown_ceremony', { challenge: 'A'.repeat(72) }],
  ])('is not taken from %s', async (_what, reason, how) => {
    expect(await scene.enrol('nora', authenticator, how)).toEqual(refused(reason));
    expect(await scene.enrol('nora', authenticator)).toMatchObject({ kind: 'enrolled' });
  });

  it('is enrolled once in one ceremony, also by two at once', async () => {
    const options = await scene.enrolmentOptions('nora');
    const others = ['credential-2', 'credential-3'].map((id) => createSoftwareAuthenticator(ORIGIN, id));
    const outcomes = await Promise.all(
      others.map((other) => scene.passkeys.enrol('nora', other.create(options), 'phone')),
    );
    expect(outcomes.map(({ kind }) => kind).sort()).toEqual(['enrolled', 'refused']);
    const replayed = await scene.passkeys.enrol('nora', authenticator.create(options), 'phone');
    expect(replayed).toEqual(refused('unknown_ceremony'));
  });

  it('is not enrolled by a ceremony that is too old', async () => {
    const options = await scene.enrolmentOptions('nora');
    scene.clock.advanceSeconds(300);
    const late = await scene.passkeys.enrol('nora', authenticator.create(options), 'phone');
    expect(late).toEqual(refused('unknown_ceremony'));
  });

  it('is not enrolled by the ceremony of another account or of a sign-in', async () => {
    const options = await scene.enrolmentOptions('nora');
    const forBen = await scene.passkeys.enrol('ben', authenticator.create(options), 'phone');
    expect(forBen).toEqual(refused('unknown_ceremony', 'ben'));
    const { challenge } = await scene.passkeys.beginSignIn('nora');
    expect(await scene.enrol('nora', authenticator, { challenge })).toEqual(refused('unknown_ceremony'));
  });

  it('belongs to one account: nobody takes over the credential id of another', async () => {
    await scene.enrol('nora', authenticator);
    const impostor = createSoftwareAuthenticator(ORIGIN);
    expect(await scene.enrol('ben', impostor)).toEqual(refused('already_enrolled', 'ben'));
    expect(await scene.enrol('nora', impostor)).toEqual(refused('already_enrolled'));
    expect(await scene.signIn(authenticator)).toMatchObject({ accountId: 'nora' });
    expect(await scene.signIn(impostor)).toEqual(refused('not_verified'));
  });

  it('of one credential id goes to one of two accounts that bring it at once', async () => {
    const { of } = scene.passkeyStore;
    scene.passkeyStore.of = async (accountId) => {
      // Time enough for the other to look before this one saves, were they not in turn.
      for (let turn = 0; turn < 200; turn += 1) await new Promise(setImmediate);
      return await of(accountId);
    };
    const outcomes = await Promise.all([
      scene.enrol('nora', createSoftwareAuthenticator(ORIGIN)),
      scene.enrol('ben', createSoftwareAuthenticator(ORIGIN)),
    ]);
    expect(outcomes.map(({ kind }) => kind).sort()).toEqual(['enrolled', 'refused']);
  });

  it('has a label that can be shown', async () => {
    const options = await scene.enrolmentOptions('nora');
    const response = authenticator.create(options);
    for (const label of [undefined, 7, '', '  ', 'x'.repeat(65), 'a\nb', '\u202eenohp', '\ud800']) {
      expect(await scene.passkeys.enrol('nora', response, label)).toEqual(refused('invalid_label'));
    }
    expect(await scene.passkeys.enrol('nora', response, '👩‍🦽 Küche')).toMatchObject({ kind: 'enrolled' });
  });

  it('is one of twenty at most', async () => {
    for (let n = 0; n < 20; n += 1) {
      const another = createSoftwareAuthenticator(ORIGIN, `number ${n}`);
      expect(await scene.enrol('nora', another)).toMatchObject({ kind: 'enrolled' });
    }
    expect(await scene.enrol('nora', authenticator)).toEqual(refused('too_many_passkeys'));
    expect(await scene.enrol('ben', authenticator)).toMatchObject({ kind: 'enrolled' });
  });

  it('is not enrolled for an account that was removed meanwhile', async () => {
    const options = await scene.enrolmentOptions('nora');
    await scene.accounts.remove('nora');
    const late = await scene.passkeys.enrol('nora', authenticator.create(options), 'phone');
    expect(late).toEqual(refused('no_account'));
  });

  it('keeps only transports that there are', async () => {
    const response = authenticator.create(await scene.enrolmentOptions('nora'));
    const transports = ['usb', 'carrier-pigeon', 7, 'usb'];
    const odd = { ...response, response: { ...response.response, transports } };
    expect(await scene.passkeys.enrol('nora', odd, 'phone')).toMatchObject({
      passkey: { transports: ['usb'] },
    });
  });
});
