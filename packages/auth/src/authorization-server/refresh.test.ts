import * as oauth from 'openid-client';
import { describe, expect, it } from 'vitest';
import { claimsIn, createSignInScene, NORA, type SignInScene, signIn } from '../../testing/sign-in-scene.ts';

const DAY = 24 * 3600;

async function begin() {
  const scene = await createSignInScene();
  const config = await scene.register();
  const tokens = await signIn(scene, config, {}, { subjects: ['alpha', 'beta'] });
  return { scene, config, access: tokens.access_token, refresh: tokens.refresh_token ?? '' };
}

async function isDead(scene: SignInScene, config: oauth.Configuration, refresh: string, access: string) {
  await expect(oauth.refreshTokenGrant(config, refresh)).rejects.toMatchObject({ error: 'invalid_grant' });
  expect(await scene.outcomeOf(access)).toBe('revoked');
}

describe('a refresh token', () => {
  it('is another one each time, and each brings a token', async () => {
    const { scene, config, refresh } = await begin();
    const seen = new Set([refresh]);
    let latest = refresh;
    for (const _time of [1, 2, 3]) {
      scene.clock.advanceSeconds(3600);
      const tokens = await oauth.refreshTokenGrant(config, latest);
      expect(await scene.outcomeOf(tokens.access_token)).toBe('verified');
      const { iat, exp } = claimsIn(tokens.access_token);
      expect([iat, exp]).toEqual([scene.clock.now() / 1000, scene.clock.now() / 1000 + 3600]);
      latest = tokens.refresh_token ?? '';
      seen.add(latest);
    }
    expect(seen.size).toBe(4);
  });

  it('lives thirty days from when it was issued, and the next one thirty more', async () => {
    const { scene, config, refresh } = await begin();
    scene.clock.advanceSeconds(30 * DAY - 1);
    const tokens = await oauth.refreshTokenGrant(config, refresh);
    scene.clock.advanceSeconds(30 * DAY);
    await expect(oauth.refreshTokenGrant(config, tokens.refresh_token ?? '')).rejects.toMatchObject({
      error: 'invalid_grant',
    });
  });

  it('ends with the year of its grant', async () => {
    const { scene, config, refresh } = await begin();
    let latest = refresh;
    for (let day = 0; day < 364; day += 28) {
      scene.clock.advanceSeconds(28 * DAY - 60);
      latest = (await oauth.refreshTokenGrant(config, latest)).refresh_token ?? '';
    }
    scene.clock.advanceSeconds(DAY + 13 * 60);
    await expect(oauth.refreshTokenGrant(config, latest)).rejects.toMatchObject({ error: 'invalid_grant' });
  });

  it('is of no use to another client, and stays of use to its own', async () => {
    const { scene, config, refresh } = await begin();
    const thief = await scene.register();
    await expect(oauth.refreshTokenGrant(thief, refresh)).rejects.toMatchObject({ error: 'invalid_grant' });
    expect(await oauth.refreshTokenGrant(config, refresh)).toMatchObject({ token_type: 'bearer' });
  });

  it('may ask for less and never for more', async () => {
    const { config, refresh } = await begin();
    const less = await oauth.refreshTokenGrant(config, refresh, { scope: 'notes.read' });
    expect(claimsIn(less.access_token).scope).toBe('notes.read');
    const more = oauth.refreshTokenGrant(config, less.refresh_token ?? '', { scope: 'notes.audit' });
    await expect(more).rejects.toMatchObject({ error: 'invalid_scope' });
  });
});

describe('a refresh token that was used already', () => {
  it('gives a pair to everybody who uses it at once, any one of which goes on', async () => {
    const { scene, config, refresh } = await begin();
    const pairs = await Promise.all([1, 2, 3].map(() => oauth.refreshTokenGrant(config, refresh)));
    expect(new Set(pairs.map((tokens) => tokens.refresh_token)).size).toBe(3);
    for (const tokens of pairs) expect(await scene.outcomeOf(tokens.access_token)).toBe('verified');
    const [, second] = pairs;
    let next = second?.refresh_token ?? '';
    for (const _turn of [1, 2, 3]) {
      scene.clock.advanceSeconds(60);
      next = (await oauth.refreshTokenGrant(config, next)).refresh_token ?? '';
    }
  });

  it.each([0, 60])(
    'ends the grant when two of its pairs go on, %i s apart: one of them is a copy',
    async (apart) => {
      const { scene, config, refresh } = await begin();
      const own = await oauth.refreshTokenGrant(config, refresh);
      const copy = await oauth.refreshTokenGrant(config, refresh);
      scene.clock.advanceSeconds(60);
      const next = await oauth.refreshTokenGrant(config, copy.refresh_token ?? '');
      scene.clock.advanceSeconds(apart);
      await isDead(scene, config, own.refresh_token ?? '', next.access_token);
      await expect(oauth.refreshTokenGrant(config, next.refresh_token ?? '')).rejects.toMatchObject({
        error: 'invalid_grant',
      });
      expect(scene.records.idsOf('RefreshTurn')).toEqual([]);
    },
  );

  it('gives one to two who look it up before either uses it', async () => {
    const { scene, config, refresh } = await begin();
    scene.meet('RefreshToken', 2);
    const pairs = await Promise.all([1, 2].map(() => oauth.refreshTokenGrant(config, refresh)));
    for (const tokens of pairs) expect(await scene.outcomeOf(tokens.access_token)).toBe('verified');
  });

  it('gives none when its grant ends while it is being used', async () => {
    const { scene, config, access, refresh } = await begin();
    scene.meet('Consent', 1, () => scene.server.endGrant(`${claimsIn(access).grant_id}`));
    await expect(oauth.refreshTokenGrant(config, refresh)).rejects.toMatchObject({ error: 'invalid_grant' });
    expect(scene.records.idsOf('RefreshToken')).toEqual([]);
  });

  it('gives one within ten seconds, as a client may have lost the answer', async () => {
    const { scene, config, refresh } = await begin();
    await oauth.refreshTokenGrant(config, refresh);
    scene.clock.advanceSeconds(9.9);
    const tokens = await oauth.refreshTokenGrant(config, refresh);
    expect(await scene.outcomeOf(tokens.access_token)).toBe('verified');
    expect(await oauth.refreshTokenGrant(config, tokens.refresh_token ?? '')).toMatchObject({
      token_type: 'bearer',
    });
  });

  it('ends the grant afterwards: every refresh token and every access token of it', async () => {
    const { scene, config, access, refresh } = await begin();
    const first = await oauth.refreshTokenGrant(config, refresh);
    const second = await oauth.refreshTokenGrant(config, first.refresh_token ?? '');
    scene.clock.advanceSeconds(10);
    await isDead(scene, config, refresh, access);
    await isDead(scene, config, first.refresh_token ?? '', first.access_token);
    await isDead(scene, config, second.refresh_token ?? '', second.access_token);
    expect(scene.records.idsOf('RefreshToken')).toEqual([]);
    expect(scene.records.idsOf('Grant')).toEqual([]);
    expect(scene.records.idsOf('Consent')).toEqual([]);
  });

  it('has its ten seconds counted from the first use, however often it is repeated', async () => {
    const { scene, config, access, refresh } = await begin();
    await oauth.refreshTokenGrant(config, refresh);
    for (const _time of [1, 2, 3]) {
      scene.clock.advanceSeconds(3);
      await oauth.refreshTokenGrant(config, refresh);
    }
    scene.clock.advanceSeconds(1);
    await isDead(scene, config, refresh, access);
  });

  it('leaves the other grants of the same person and client alone', async () => {
    const { scene, config, refresh } = await begin();
    const other = await signIn(scene, config);
    await oauth.refreshTokenGrant(config, refresh);
    scene.clock.advanceSeconds(10);
    await expect(oauth.refreshTokenGrant(config, refresh)).rejects.toMatchObject({ error: 'invalid_grant' });
    expect(await scene.outcomeOf(other.access_token)).toBe('verified');
    expect(await oauth.refreshTokenGrant(config, other.refresh_token ?? '')).toMatchObject({
      token_type: 'bearer',
    });
  });
});

describe('what an account has now', () => {
  it('is what a refresh gives of what was consented to', async () => {
    const { scene, config, refresh } = await begin();
    const narrowed = { scopes: new Set(['notes.read', 'notes.audit']), subjects: new Set(['beta', 'gamma']) };
    await scene.accounts.save({ ...NORA, ...narrowed, epoch: NORA.epoch + 1 });
    const tokens = await oauth.refreshTokenGrant(config, refresh);
    expect(tokens.scope).toBe('notes.read');
    expect(claimsIn(tokens.access_token)).toMatchObject({
      scope: 'notes.read',
      subjects: ['beta'],
      account_epoch: NORA.epoch + 1,
    });
    await scene.accounts.save({ ...NORA, epoch: NORA.epoch + 2 });
    const widened = await oauth.refreshTokenGrant(config, tokens.refresh_token ?? '');
    expect(claimsIn(widened.access_token)).toMatchObject({ subjects: ['alpha', 'beta'] });
  });

  it.each([
    ['is gone', undefined],
    ['has no scope of it left', { scopes: new Set(['notes.audit']) }],
    ['has no subject of it left', { subjects: new Set(['gamma']) }],
    ['has no subject', { subjects: new Set<string>() }],
  ])('refuses the refresh where the account %s', async (_what, change) => {
    const { scene, config, refresh } = await begin();
    if (change === undefined) await scene.accounts.remove(NORA.id);
    else await scene.accounts.save({ ...NORA, ...change, epoch: NORA.epoch + 1 });
    await expect(oauth.refreshTokenGrant(config, refresh)).rejects.toMatchObject({ error: 'invalid_grant' });
    await scene.accounts.save(NORA);
    expect(await oauth.refreshTokenGrant(config, refresh)).toMatchObject({ token_type: 'bearer' });
  });

  it('grows into a grant of everything', async () => {
    const scene = await createSignInScene();
    const config = await scene.register();
    const tokens = await signIn(scene, config, {}, { subjects: '*' });
    await scene.accounts.save({ ...NORA, subjects: new Set(['alpha', 'beta', 'delta']) });
    const refreshed = await oauth.refreshTokenGrant(config, tokens.refresh_token ?? '');
    expect(claimsIn(refreshed.access_token).subjects).toEqual(['alpha', 'beta', 'delta']);
  });
});
