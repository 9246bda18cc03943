import { createHmac } from 'node:crypto';
import { type Asker, call, initialize, memberOf, plain } from './asker.ts';
import type { Question } from './questions.ts';
import { WRITE_SECRET } from './world.ts';

const JSON_BODY = { 'content-type': 'application/json' };
const SOME_HASH = 'ab'.repeat(32);

/** What is asked beside MCP. A token is sent by whoever has one. */
export const ROUTE_QUESTIONS: readonly Question[] = [
  {
    name: 'write',
    about: 'uri',
    writes: true,
    ask: (asker, _era, uri) => write(asker, bodyOf(uri, 'Said by an observer.')),
  },
  {
    name: 'take back',
    about: 'uri',
    writes: true,
    ask: (asker, _era, uri) => write(asker, JSON.stringify({ uri, withdraw: true, authorId: 'observer' })),
  },
  {
    name: 'write over a head that is not there',
    about: 'uri',
    writes: true,
    ask: (asker, _era, uri) => write(asker, bodyOf(uri, 'Never.'), { 'if-match': `"${SOME_HASH}"` }),
  },
  {
    name: 'write over the head it knows',
    about: 'uri',
    writes: true,
    async ask(asker, _era, uri) {
      const answer = await call(asker, 'modern', 'resources/read', { uri });
      const head = memberOf(answer, 'unsay/versionHash') ?? SOME_HASH;
      return write(asker, bodyOf(uri, 'On purpose.'), { 'if-match': `"${head}"` });
    },
  },
  {
    name: 'write twice under one key',
    about: 'uri',
    writes: true,
    async ask(asker, _era, uri) {
      const key = { 'idempotency-key': 'the key that everyone takes' };
      return (
        (await write(asker, bodyOf(uri, 'Once.'), key)) + (await write(asker, bodyOf(uri, 'Once.'), key))
      );
    },
  },
  {
    name: 'write nonsense',
    about: 'uri',
    ask: (asker, _era, uri) => write(asker, JSON.stringify({ uri, value: 7, authorId: 'observer' })),
  },
  {
    name: 'write with a false signature',
    about: 'uri',
    ask: (asker, _era, uri) => signedWrite(asker, bodyOf(uri, 'Forged.'), 'another secret, of nobody at all'),
  },
  {
    name: 'write with an old signature',
    about: 'uri',
    ask: (asker, _era, uri) => signedWrite(asker, bodyOf(uri, 'Late.'), WRITE_SECRET, 1_700_000_000),
  },
  {
    name: 'preview',
    about: 'uri',
    ask: (asker, _era, uri) => plain(asker, 'POST', '/preview', JSON_BODY, bodyOf(uri, 'Perhaps.')),
  },
  {
    name: 'preview over a head that is not there',
    about: 'uri',
    ask(asker, _era, uri) {
      const headers = { ...JSON_BODY, 'if-match': `"${SOME_HASH}"` };
      return plain(asker, 'POST', '/preview', headers, bodyOf(uri, 'Perhaps.'));
    },
  },
  { name: 'verify', about: 'nothing', ask: (asker) => plain(asker, 'GET', '/verify') },
  { name: 'verify a fact', about: 'uri', ask: verifyFact },
  {
    name: 'verify a subject',
    about: 'uri',
    ask(asker, _era, uri) {
      const subject = encodeURIComponent(uri.split('/')[2] ?? uri);
      return bothWays(asker, `/verify?subject=${subject}`);
    },
  },
  {
    name: 'verify as nobody we know',
    about: 'nothing',
    ask: (asker) => plain({ ...asker, token: 'nonsense' }, 'GET', '/verify'),
  },
  {
    name: 'pair with a false code',
    about: 'nothing',
    ask: (asker) => plain(asker, 'POST', '/pair', JSON_BODY, '{"code":"nonsense"}'),
  },
  { name: 'health', about: 'nothing', ask: (asker) => bothWays(asker, '/healthz') },
  { name: 'readiness', about: 'nothing', ask: (asker) => bothWays(asker, '/readyz') },
  {
    name: 'metadata',
    about: 'nothing',
    async ask(asker) {
      let answers = '';
      for (const path of Object.keys(asker.world.context.documents))
        answers += await plain(asker, 'GET', path);
      return answers;
    },
  },
  {
    name: 'a route that is not there',
    about: 'nothing',
    ask: (asker) => plain(asker, 'GET', '/facts/count'),
  },
  { name: 'end the session', about: 'nothing', ask: endSession },
];

async function bothWays(asker: Asker, path: string): Promise<string> {
  return (await plain(asker, 'GET', path)) + (await plain(asker, 'HEAD', path));
}

function bodyOf(uri: string, value: string): string {
  return JSON.stringify({ uri, value, authorId: 'observer' });
}

function write(asker: Asker, body: string, headers: Readonly<Record<string, string>> = {}): Promise<string> {
  return plain(asker, 'POST', '/write', { ...JSON_BODY, ...headers }, body);
}

function signedWrite(asker: Asker, body: string, secret: string, at?: number): Promise<string> {
  const timestamp = String(at ?? Math.floor(asker.world.context.live.clock.now() / 1000));
  const signature = createHmac('sha256', secret).update(`${timestamp}..${body}`).digest('hex');
  const signed = { 'x-unsay-timestamp': timestamp, 'x-unsay-signature': `v1=${signature}` };
  return write({ ...asker, token: null }, body, signed);
}

function verifyFact(asker: Asker, _era: unknown, uri: string): Promise<string> {
  const [, , subject = '', topic = ''] = uri.split('/');
  return plain(
    asker,
    'GET',
    `/verify?subject=${encodeURIComponent(subject)}&topic=${encodeURIComponent(topic)}`,
  );
}

async function endSession(asker: Asker): Promise<string> {
  const opening = asker.kept.session === null ? await initialize(asker) : '';
  const session = asker.kept.session;
  asker.kept.session = null;
  if (session === null) return opening;
  return opening + (await plain(asker, 'DELETE', '/mcp', { 'mcp-session-id': session }));
}
