import { request as send } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type StartedPress, startPress } from '../../testing/start-press.ts';
import { samplePost } from '../../testing/temporary-parts.ts';
import { readAudit } from '../access/audit.ts';

let press: StartedPress;
let operator = '';
let admin = '';
let number = 0;

beforeAll(async () => {
  press = await startPress();
  operator = await press.operatorToken('writer');
  admin = await press.adminToken('boss');
});
afterAll(async () => {
  await press.close();
  expect(press.faults).toEqual([]);
});

const basic = (password: string) => ({
  authorization: `Basic ${Buffer.from(`anyone:${password}`).toString('base64')}`,
});

async function open(
  path: string,
  init: RequestInit & { headers?: Record<string, string> } = {},
  password = admin,
) {
  const response = await fetch(press.url + path, {
    ...init,
    headers: { ...basic(password), ...init.headers },
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

const publish = (slug: string, revision: string, headers: Record<string, string> = { origin: press.url }) =>
  open('/admin', { method: 'POST', body: new URLSearchParams({ slug, revision }), headers });

async function draft(slug: string, text: string, baseRevision: string | null = null): Promise<string> {
  const request = {
    operation: 'save',
    slug,
    markdown: samplePost('draft', text),
    baseRevision,
    idempotencyKey: `admin-key-${number++}`,
  };
  return String((await press.operate(operator, request)).body.revision);
}

describe('the admin page', () => {
  it('opens to an admin token alone', async () => {
    const nobody = await fetch(`${press.url}/admin`);
    expect([nobody.status, nobody.headers.get('www-authenticate')]).toEqual([
      401,
      'Basic realm="Press", charset="UTF-8"',
    ]);
    expect((await open('/admin', {}, operator)).status).toBe(401);
    expect((await open('/admin', {}, 'guess')).status).toBe(401);
    expect((await open('/admin')).status).toBe(200);
  });

  it('lists what waits, shows a post as it would be read and as it was written, and publishes that', async () => {
    const revision = await draft('waiting', '**Bold** <script>x</script>');
    expect((await open('/admin')).text).toContain('/admin?post=waiting');
    const { text, headers } = await open('/admin?post=waiting');
    expect(text).toContain('<strong>Bold</strong>');
    expect(text).toContain(`value="${revision}"`);
    expect(text).not.toContain('<script');
    expect(headers.get('cache-control')).toBe('no-store');
    expect(await publish('waiting', revision)).toMatchObject({ status: 200 });
    expect((await fetch(`${press.url}/posts/waiting`)).status).toBe(200);
    expect((await open('/admin')).text).not.toContain('/admin?post=waiting');
    expect(await readAudit(press.parts.database, 1)).toMatchObject([
      { role: 'admin', label: 'boss', operation: 'publish', slug: 'waiting', outcome: 'done' },
    ]);
  });

  it('publishes no other text than the one that was approved', async () => {
    const approved = await draft('moving', 'Approved.');
    const swapped = await draft('moving', 'Swapped in.', approved);
    const { status, text } = await publish('moving', approved);
    expect(status).toBe(409);
    expect(text).toContain(swapped);
    expect((await fetch(`${press.url}/posts/moving`)).status).toBe(404);
  });

  it('publishes for no other page, though the browser sends the password', async () => {
    const revision = await draft('forged', 'Forged.');
    for (const headers of [{}, { origin: 'https://elsewhere.example' }, { origin: 'null' }] as Record<
      string,
      string
    >[])
      expect((await publish('forged', revision, headers)).status).toBe(403);
    expect((await fetch(`${press.url}/posts/forged`)).status).toBe(404);
  });

  it('says that a post is not there, and reads no more than a form', async () => {
    expect((await publish('../press', 'x')).status).toBe(404);
    expect((await publish('never-was', 'x')).text).toContain('no such post');
    expect((await open('/admin?post=../press.json')).status).toBe(404);
    const large = { method: 'POST', body: `slug=${'x'.repeat(10_000)}`, headers: { origin: press.url } };
    expect((await open('/admin', large)).status).toBe(404);
  });
});

describe('a host', () => {
  it.each(['elsewhere.example', '127.0.0.1.elsewhere.example'])('%s is not this site’s', async (host) => {
    const { hostname, port } = new URL(press.url);
    const status = await new Promise((resolve, reject) => {
      const req = send({ hostname, port, path: '/', headers: { host } }, (res) => {
        res.resume();
        resolve(res.statusCode);
      });
      req.once('error', reject).end();
    });
    expect(status).toBe(421);
  });
});
