import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connect, ERAS } from '../harness/era-client.ts';
import { modernHeaders, modernMessage, openSession, post } from '../harness/raw-mcp.ts';
import {
  ROOT,
  type RunningServer,
  removeFolder,
  run,
  startServer,
  temporaryFolder,
  testEnvironment,
} from '../harness/running-server.ts';
import { send, signed, writeBody } from '../harness/signed-write.ts';
import { metricsAddress, readMetrics } from './metrics-port.ts';
import { standsIn } from './spellings.ts';

// Personal data in logs was a fault of others: a full run in both eras, and then every byte that the server wrote.

/** What facts say and who says it: nowhere, the audit file included. */
const WORDS = {
  value: 'Zwölf Schritte am Geländer, marmalade xylophone.',
  correction: 'Elf Schritte ohne Geländer, marmalade xylophone.',
  internal: 'vermilion pangolin at the stairs',
  label: 'the tangerine gondolier',
  idempotencyKey: 'key-of-the-cobalt-heron',
  madeUp: 'quince-lantern-parade',
};
/** Whom and what facts are about: the audit file names them, and is for the operator. */
const NAMES = {
  subject: 'heliotrope',
  topic: 'quarrel-of-geese',
  hidden: 'obsidian-kestrel',
  author: 'author-periwinkle',
  tokenSubject: 'sub-of-the-magenta-otter',
  client: 'client-of-the-saffron-mole',
};
const URI = `care://${NAMES.subject}/${NAMES.topic}`;
const HIDDEN = `care-internal://${NAMES.subject}/${NAMES.hidden}`;
const ABSENT = `care://${NAMES.subject}/${WORDS.madeUp}`;

const folder = temporaryFolder();
const audit = join(folder, 'audit.log');
let server: RunningServer;
let audited = '';
let counted = '';
/** Credentials and opaque words that the run came by. */
const secrets: Record<string, string> = {};

beforeAll(async () => {
  server = await startServer(join(folder, 'data'), {
    UNSAY_SEED: 'none',
    UNSAY_LOG: 'requests',
    UNSAY_AUDIT_LOG: audit,
    UNSAY_PAGE_SIZE: '1',
  });
  await writes();
  const grant = { sub: NAMES.tokenSubject, client: NAMES.client, subject: NAMES.subject };
  const token = await server.mint('care.read.user', grant);
  secrets.token = token;
  for (const era of ERAS) {
    const client = await connect(era, server.url, token);
    await client.follow([URI, HIDDEN]);
    const words = era === 'modern' ? WORDS.correction : WORDS.value;
    expect((await send(server.url, signed(writeBody(URI, words)))).status).toBe(201);
    expect(await client.heard()).toBe(URI);
    await client.call('resources/read', { uri: URI });
    const { nextCursor } = (await client.call('resources/list')) as { nextCursor?: string };
    if (nextCursor !== undefined) secrets[`${era}Cursor`] = nextCursor;
    for (const uri of [HIDDEN, ABSENT, `${URI}/v99`]) await client.refusal('resources/read', { uri });
    await client.tool('whats_changed', { subject: NAMES.subject });
    await client.refusal('prompts/get', { name: WORDS.madeUp });
    await client.close();
  }
  await hostile(token);
  audited = readFileSync(audit, 'utf8');
  // From here on every copy of a row fails, which is a fault.
  rmSync(audit);
  mkdirSync(audit);
  await send(server.url, signed(writeBody(URI, WORDS.value, { authorLabel: WORDS.label })));
  counted = await (await fetch(metricsAddress(server))).text();
  expect(await server.stop()).toBe(0);
});

afterAll(async () => {
  await server?.kill();
  removeFolder(folder);
});

async function writes(): Promise<void> {
  const more = { authorId: NAMES.author, authorLabel: WORDS.label };
  const first = signed(writeBody(URI, WORDS.value, more));
  const headers = { ...first.headers, 'idempotency-key': WORDS.idempotencyKey };
  expect((await send(server.url, { ...first, headers })).status).toBe(201);
  expect((await send(server.url, signed(writeBody(`${URI}-2`, WORDS.value)))).status).toBe(201);
  expect((await send(server.url, signed(writeBody(HIDDEN, WORDS.internal)))).status).toBe(201);
  expect((await send(server.url, first)).status).toBe(401);
  const crossed = signed(writeBody(`care-internal://${NAMES.subject}/${NAMES.topic}`, WORDS.internal));
  expect((await send(server.url, crossed)).status).toBe(409);
  expect((await send(server.url, signed(`{"${WORDS.madeUp}":"${WORDS.value}"}`))).status).toBe(400);
  const forged = signed(writeBody(URI, WORDS.value), { secret: WORDS.madeUp.repeat(3) });
  expect((await send(server.url, forged)).status).toBe(401);
}

/** Words of the caller's in every place where one fits. */
async function hostile(token: string): Promise<void> {
  const words = { 'x-marmalade': WORDS.madeUp, traceparent: WORDS.madeUp, 'user-agent': WORDS.madeUp };
  const message = modernMessage(WORDS.madeUp, { uri: ABSENT, _meta: { traceparent: WORDS.madeUp } });
  await post(server.url, message, { ...modernHeaders(token, WORDS.madeUp), ...words });
  await post(server.url, `{"${WORDS.madeUp}`, { authorization: `Bearer ${token}` });
  await post(server.url, '{}', { authorization: `Bearer ${WORDS.madeUp}` });
  await fetch(`${server.url}/${WORDS.madeUp}?${WORDS.madeUp}`, { headers: words });
  await fetch(`${server.url}/verify?subject=${NAMES.subject}&topic=${NAMES.topic}`);
  await fetch(`${server.url}/healthz`, { method: 'PROPFIND' });
  await fetch(`${server.url}/pair`, { method: 'POST', body: JSON.stringify({ code: WORDS.madeUp }) });
  const session = await openSession(server.url, token);
  await session.send(WORDS.madeUp, { uri: ABSENT });
}

interface Line {
  readonly event: string;
  readonly uri?: string | null;
  readonly method?: string;
  readonly era?: string;
  readonly at: string;
}

const logged = (): readonly Line[] =>
  server
    .faults()
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));

describe('after a full run', () => {
  it('everything of it is in the log, one JSON object a line', () => {
    const events = new Set(logged().map(({ event }) => event));
    expect(events).toEqual(
      new Set(['started', 'request', 'message', 'write', 'fault', 'stopping', 'stopped']),
    );
    for (const { at } of logged()) expect(new Date(at).toISOString()).toBe(at);
  });

  it('no word of a fact, name, credential or cursor is in the log, the metrics or what was printed', () => {
    const left = { log: server.faults(), metrics: counted, printed: server.lines.join('\n') };
    expect(Object.keys(secrets)).toEqual(expect.arrayContaining(['token', 'modernCursor', 'legacyCursor']));
    for (const secret of Object.values({ ...WORDS, ...NAMES, ...secrets })) {
      const places = Object.entries(left).filter(([, text]) => standsIn(text, secret));
      expect([secret, places.map(([place]) => place)]).toEqual([secret, []]);
    }
  });

  it('the audit file names facts and writers, and has nothing of what they say', () => {
    expect(audited).toContain(URI);
    for (const secret of [...Object.values(WORDS), ...Object.values(secrets)])
      expect([secret, standsIn(audited, secret)]).toEqual([secret, false]);
  });

  it('a URI is one word throughout the log, which says nothing to whoever lacks the key', () => {
    const words = (event: string, method?: string): readonly (string | null | undefined)[] =>
      logged()
        .filter((line) => line.event === event && (method === undefined || line.method === method))
        .map(({ uri }) => uri);
    const read = words('message', 'resources/read');
    expect(new Set(read).size).toBe(4);
    for (const uri of read) expect(uri).toMatch(/^[0-9a-f]{32}$/);
    expect(words('write')).toContain(read[0]);
  });

  it('every label of the metrics is of a closed list', () => {
    const values = new Map<string, Set<string>>();
    for (const line of counted.split('\n').filter((line) => line.startsWith('unsay_'))) {
      for (const [, name = '', value = ''] of line.matchAll(/(\w+)="([^"]*)"/g)) {
        if (name !== 'le') values.set(name, (values.get(name) ?? new Set()).add(value));
      }
    }
    expect([...values.keys()].sort()).toEqual([
      'era',
      'method',
      'outcome',
      'reason',
      'route',
      'status',
      'via',
    ]);
    expect([...(values.get('route') ?? [])].sort()).toEqual(
      ['/healthz', '/mcp', '/pair', '/verify', '/write', 'none'].sort(),
    );
    expect([...(values.get('era') ?? [])].sort()).toEqual(['legacy', 'modern', 'none']);
    expect([...(values.get('outcome') ?? [])].sort()).toEqual(['accepted', 'refused']);
    expect(values.get('method')).not.toContain('PROPFIND');
    for (const method of ['other', 'resources/read', 'POST']) expect(values.get('method')).toContain(method);
    for (const reason of ['none', 'replayed', 'store_rejected', 'malformed', 'bad_signature'])
      expect(values.get('reason')).toContain(reason);
  });
});

it('without being asked for more, the log has faults alone', async () => {
  const quiet = await startServer(join(folder, 'quiet'), { UNSAY_SEED: 'none' });
  expect((await send(quiet.url, signed(writeBody(URI, WORDS.value)))).status).toBe(201);
  const numbers = await readMetrics(quiet);
  expect(numbers.get('unsay_writes_total{outcome="accepted",reason="none",via="hmac"}')).toBe(1);
  expect(await quiet.stop()).toBe(0);
  expect(quiet.faults()).toBe('');
});

it('an exception that ends the server is told in the same words as any other fault', async () => {
  const breaking = `
    const write = process.stdout.write.bind(process.stdout);
    process.stdout.write = (text, ...rest) => {
      if (/^ready/.test(text)) setImmediate(() => JSON.parse('"${WORDS.madeUp}'));
      return write(text, ...rest);
    };`;
  const node = join(ROOT, 'node_modules/.bin/node');
  const args = [
    '--import',
    `data:text/javascript,${encodeURIComponent(breaking)}`,
    'apps/unsay/src/cli/unsay.ts',
  ];
  const { code, stderr } = await run(node, [...args, 'serve'], testEnvironment(join(folder, 'broken'), {}));
  expect(code).toBe(1);
  expect(JSON.parse(stderr)).toMatchObject({
    event: 'fault',
    error: 'SyntaxError',
    stack: expect.any(Array),
  });
  expect(JSON.parse(stderr)).not.toHaveProperty('message');
});
