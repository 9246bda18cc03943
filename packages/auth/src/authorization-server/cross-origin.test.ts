import { expect, it } from 'vitest';
import { createSignInScene, signIn } from '../../testing/sign-in-scene.ts';

it.each([
  ['http://127.0.0.1:7001', 200],
  ['http://127.0.0.1:7002', 400],
  ['https://evil.example', 400],
  ['null', 400],
])(
  'a page at %s may use the tokens of a client that is sent back to http://127.0.0.1:7001: %i',
  async (...row) => {
    const [origin, status] = row;
    const scene = await createSignInScene();
    const config = await scene.register();
    const tokens = await signIn(scene, config);
    const answer = await fetch(`${scene.issuer}/token`, {
      method: 'POST',
      headers: { origin },
      body: new URLSearchParams({
        grant_type: 'refresh_token',
        refresh_token: tokens.refresh_token ?? '',
        client_id: config.clientMetadata().client_id,
      }),
    });
    expect(answer.status).toBe(status);
    expect(answer.headers.get('access-control-allow-origin')).toBe(status === 200 ? origin : null);
    expect(answer.headers.get('access-control-allow-credentials')).toBeNull();
  },
);

it('no page may use the secret of a client that has one', async () => {
  const scene = await createSignInScene();
  const config = await scene.register({ token_endpoint_auth_method: 'client_secret_post' });
  const { client_id: id, client_secret: secret } = config.clientMetadata();
  const answer = await fetch(`${scene.issuer}/token`, {
    method: 'POST',
    headers: { origin: 'http://127.0.0.1:7001' },
    body: new URLSearchParams({
      grant_type: 'refresh_token',
      refresh_token: 'any',
      client_id: id,
      client_secret: `${secret}`,
    }),
  });
  expect(answer.status).toBe(400);
  expect(answer.headers.get('access-control-allow-origin')).toBeNull();
});
