import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, type JWK, SignJWT, UnsecuredJWT } from 'jose';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AUDIENCE, createTokenFixture, type TokenFixture } from '../../testing/token-fixture.ts';
import { createVirtualClock, type VirtualClock } from '../../testing/virtual-clock.ts';
import { createOutsideIssuer, IssuerUnavailable } from './outside-issuer.ts';

const KEYS = { es: await makeKey('ES256'), rs: await makeKey('RS256') };
const CLIENT = { clientId: 'resource', clientSecret: 'secret' };

async function makeKey(alg: string) {
  const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true });
  const jwk: JWK = { ...(await exportJWK(publicKey)), alg, kid: `${alg} key`, use: 'sig' };
  return { alg, privateKey, publicKey, jwk };
}

let server: Server;
let issuer: string;
let isDown: boolean;
let published: JWK[];
let metadata: object;
/** Where the metadata are. */
let wellKnown: string;
/** What the issuer says of opaque tokens, and who asked. */
let opaque: Map<string, object>;
let asked: string[];
/** How often the issuer was called, for anything. */
let calls: number;
let clock: VirtualClock;
let fixture: TokenFixture;

beforeEach(async () => {
  server = createServer(async (req, res) => {
    calls += 1;
    if (isDown) return void res.destroy();
    const answers: Record<string, () => Promise<object> | object> = {
      [wellKnown]: () => metadata,
      '/jwks': () => ({ keys: published }),
      '/introspect': async () => introspect(req),
    };
    const answer = await answers[req.url ?? '']?.();
    res.writeHead(answer === undefined ? 404 : 200, { 'content-type': 'application/json' });
    res.end(JSON.stringify(answer ?? {}));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  isDown = false;
  published = [KEYS.es.jwk, KEYS.rs.jwk];
  wellKnown = '/.well-known/oauth-authorization-server';
  metadata = { issuer, jwks_uri: `${issuer}/jwks`, introspection_endpoint: `${issuer}/introspect` };
  opaque = new Map();
  asked = [];
  calls = 0;
  clock = createVirtualClock();
  const outside = createOutsideIssuer({ issuer, audience: AUDIENCE, clock, client: CLIENT });
  fixture = await createTokenFixture({ outside });
});

afterEach(() => {
  server.close();
  server.closeAllConnections();
});

async function introspect(req: IncomingMessage): Promise<object> {
  let body = '';
  for await (const chunk of req) body += chunk;
  const token = new URLSearchParams(body).get('token') ?? '';
  asked.push(`${req.headers.authorization} ${token}`);
  return opaque.get(token) ?? { active: false };
}

const claims = (change: object = {}): Record<string, unknown> => ({
  iss: issuer,
  aud: AUDIENCE,
  sub: 'nora',
  client_id: 'reader',
  scope: 'notes.read',
  subjects: ['alpha'],
  jti: 'one',
  iat: fixture.now,
  exp: fixture.now + 3600,
  ...change,
});

function sign(change: object = {}, header: object = {}, key = KEYS.es): Promise<string> {
  const kept = Object.entries(claims(change)).filter(([, value]) => value !== undefined);
  return new SignJWT(Object.fromEntries(kept))
    .setProtectedHeader({ alg: key.alg, kid: key.jwk.kid ?? '', typ: 'at+jwt', ...header })
    .sign(key.privateKey);
}

describe('a JWT of an outside issuer', () => {
  it('counts, with its people and clients named after it', async () => {
    const outcome = await fixture.verifier.verify(`Bearer ${await sign()}`);
    expect(outcome).toMatchObject({
      kind: 'verified',
      token: {
        sub: `${issuer}#nora`,
        clientId: `${issuer}#reader`,
        scopes: new Set(['notes.read']),
        subjects: new Set(['alpha']),
        grantId: undefined,
        accountEpoch: undefined,
      },
    });
  });

  it.each([
    ['RSA', {}, {}, 'rs'],
    ['the type that is everybody’s', {}, { typ: 'JWT' }, 'es'],
    ['no type', {}, { typ: undefined }, 'es'],
    ['scopes as a list', { scope: undefined, scp: ['notes.read'] }, {}, 'es'],
    ['its client as azp', { client_id: undefined, azp: 'reader' }, {}, 'es'],
    ['no id', { jti: undefined }, {}, 'es'],
  ] as const)('counts with %s', async (_what, change, header, key) => {
    expect(await fixture.outcomeOf(await sign(change, header, KEYS[key]))).toBe('verified');
  });

  it('never says what only our own tokens can', async () => {
    const outcome = await fixture.verifier.verify(
      `Bearer ${await sign({ grant_id: 'g', account_epoch: 9 })}`,
    );
    expect(outcome).toMatchObject({ token: { grantId: undefined, accountEpoch: undefined } });
  });

  it.each([
    ['another audience', { aud: 'https://resource.example' }, {}, 'wrong_audience'],
    ['its end behind it', { exp: 1 }, {}, 'expired'],
    ['its beginning before it', { nbf: 4e9 }, {}, 'not_yet_valid'],
    ['no subject', { sub: undefined }, {}, 'malformed'],
    ['a subject of other letters', { sub: 'nöra' }, {}, 'malformed'],
    ['another kind of content', {}, { typ: 'logout+jwt' }, 'wrong_type'],
    ['a key that is not published', {}, { kid: 'another' }, 'bad_signature'],
  ])('with %s is refused', async (_what, change, header, failure) => {
    expect(await fixture.outcomeOf(await sign(change, header))).toBe(failure);
  });

  it('is refused without a signature, or with the public key as a secret', async () => {
    const bare = new UnsecuredJWT(claims()).encode();
    expect(await fixture.outcomeOf(bare)).toBe('malformed');
    const secret = new TextEncoder().encode(JSON.stringify(KEYS.rs.jwk));
    const confused = await new SignJWT(claims())
      .setProtectedHeader({ alg: 'HS256', kid: 'RS256 key', typ: 'at+jwt' })
      .sign(secret);
    expect(await fixture.outcomeOf(confused)).toBe('wrong_algorithm');
    const mixed = await sign({}, { kid: 'RS256 key' });
    expect(await fixture.outcomeOf(mixed)).toBe('bad_signature');
  });

  it('of somebody who signs in its name is refused', async () => {
    const impostor = { ...(await makeKey('ES256')), jwk: KEYS.es.jwk };
    expect(await fixture.outcomeOf(await sign({}, {}, impostor))).toBe('bad_signature');
  });

  it('does not let one issuer speak for the other', async () => {
    const ours = await sign({ iss: 'https://issuer.example' });
    expect(await fixture.outcomeOf(ours)).toBe('bad_signature');
    expect(await fixture.outcomeOf(fixture.forge({ claims: { iss: issuer } }))).toBe('bad_signature');
  });

  it('is neither taken nor refused while its issuer cannot be asked', async () => {
    isDown = true;
    const token = await sign();
    await expect(fixture.outcomeOf(token)).rejects.toBeInstanceOf(IssuerUnavailable);
    isDown = false;
    clock.advanceSeconds(5);
    expect(await fixture.outcomeOf(token)).toBe('verified');
  });

  it('does not make us hammer an issuer that is down', async () => {
    isDown = true;
    for (const jti of ['one', 'two', 'three']) {
      await expect(fixture.outcomeOf(await sign({ jti }))).rejects.toBeInstanceOf(IssuerUnavailable);
    }
    expect(calls).toBe(1);
  });

  it('does not make us hammer an issuer whose keys are not to be had', async () => {
    metadata = { ...metadata, jwks_uri: `${issuer}/nowhere` };
    for (const jti of ['one', 'two', 'three']) {
      await expect(fixture.outcomeOf(await sign({ jti }))).rejects.toBeInstanceOf(IssuerUnavailable);
    }
    expect(calls).toBe(2);
  });

  it('counts where its issuer has the metadata of OpenID Connect alone', async () => {
    wellKnown = '/.well-known/openid-configuration';
    expect(await fixture.outcomeOf(await sign())).toBe('verified');
    metadata = { ...metadata, issuer: 'https://elsewhere.example' };
    const again = createOutsideIssuer({ issuer, audience: AUDIENCE, clock });
    await expect(again.read(await sign())).rejects.toBeInstanceOf(IssuerUnavailable);
  });

  it('is worth nothing from an issuer whose metadata name another', async () => {
    metadata = { ...metadata, issuer: 'https://elsewhere.example' };
    await expect(fixture.outcomeOf(await sign())).rejects.toBeInstanceOf(IssuerUnavailable);
  });
});

describe('an opaque token', () => {
  const introspected = (change: object = {}): object => ({ active: true, ...claims(change) });

  it('counts when its issuer says so, asked as its client, for a minute at a time', async () => {
    opaque.set('opaque', introspected());
    const outcome = await fixture.verifier.verify('Bearer opaque');
    expect(outcome).toMatchObject({ kind: 'verified', token: { sub: `${issuer}#nora` } });
    const basic = Buffer.from('resource:secret').toString('base64');
    expect(asked).toEqual([`Basic ${basic} opaque`]);
    expect(await fixture.outcomeOf('opaque')).toBe('verified');
    expect(asked).toHaveLength(1);
    for (const each of [clock, fixture.clock]) each.advanceSeconds(61);
    if (outcome.kind === 'verified') expect(fixture.verifier.isLive(outcome.token)).toBe(false);
    expect(await fixture.outcomeOf('opaque')).toBe('verified');
    expect(asked).toHaveLength(2);
    opaque.delete('opaque');
    for (const each of [clock, fixture.clock]) each.advanceSeconds(61);
    expect(await fixture.outcomeOf('opaque')).toBe('bad_signature');
  });

  it.each(['key.signature', 'a.b.c.d'])('is asked about again also when it reads %s', async (token) => {
    opaque.set(token, introspected());
    expect(await fixture.outcomeOf(token)).toBe('verified');
    for (const each of [clock, fixture.clock]) each.advanceSeconds(61);
    expect(await fixture.outcomeOf(token)).toBe('verified');
    expect(asked).toHaveLength(2);
  });

  it.each([
    ['unknown', undefined, 'bad_signature'],
    ['for another audience', { aud: 'https://elsewhere.example' }, 'wrong_audience'],
    ['for no audience', { aud: undefined }, 'malformed'],
    ['of another issuer', { iss: 'https://elsewhere.example' }, 'wrong_issuer'],
    ['over', { exp: 1 }, 'expired'],
  ])('that is %s is refused', async (_what, change, failure) => {
    if (change !== undefined) opaque.set('opaque', introspected(change));
    expect(await fixture.outcomeOf('opaque')).toBe(failure);
  });

  it('is asked about once while a no counts, however often it comes', async () => {
    for (const _time of [1, 2, 3]) expect(await fixture.outcomeOf('opaque')).toBe('bad_signature');
    expect(asked).toHaveLength(1);
    opaque.set('opaque', introspected());
    for (const each of [clock, fixture.clock]) each.advanceSeconds(10);
    expect(await fixture.outcomeOf('opaque')).toBe('verified');
  });

  it('is one of thirty-two that are asked about at once, and no more are', async () => {
    const outcomes = await Promise.allSettled(
      Array.from({ length: 40 }, (_, n) => fixture.outcomeOf(`opaque ${n}`.replace(' ', '-'))),
    );
    expect(outcomes.filter(({ status }) => status === 'rejected')).toHaveLength(8);
    expect(asked).toHaveLength(32);
    expect(await fixture.outcomeOf('later')).toBe('bad_signature');
  });

  it('is malformed where nobody is to be asked', async () => {
    const outside = createOutsideIssuer({ issuer, audience: AUDIENCE, clock });
    expect(await (await createTokenFixture({ outside })).outcomeOf('opaque')).toBe('malformed');
    expect(asked).toEqual([]);
  });

  it('is neither taken nor refused while its issuer cannot be asked', async () => {
    isDown = true;
    await expect(fixture.outcomeOf('opaque')).rejects.toBeInstanceOf(IssuerUnavailable);
  });
});
