import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningServer, removeFolder, startServer, temporaryFolder } from '../harness/running-server.ts';
import { send, signed, writeBody } from '../harness/signed-write.ts';
import { bearer, good, hash, MARK, REFUSALS, tokens } from './write-refusal-rows.ts';

const READS = 'care.read.user care.read.assistant';

// Who is named in the log: whom the credential proved, never whom the body names, and nobody where it proved none.
const KNOWN_BY: Readonly<Record<string, (code: string, name: string) => string | null>> = {
  hmac: (code, name) =>
    ['bad_signature', 'stale_timestamp', 'unsigned'].includes(code) || name.includes('two signatures')
      ? null
      : 'system',
  bearer: (code) => (code === 'bad_signature' ? null : 'tester'),
};

let server: RunningServer;
const data = temporaryFolder();

beforeAll(async () => {
  server = await startServer(data);
  tokens.writer = await server.mint(`care.write ${READS}`);
  tokens.reader = await server.mint(READS);
  tokens['half writer'] = await server.mint('care.write care.read.user');
  tokens.stranger = await server.mint(`care.write ${READS}`, { subject: 'someone-else' });
});

afterAll(async () => {
  await server?.kill();
  removeFolder(data);
});

interface AuditRow {
  readonly outcome: string;
  readonly reason: string | null;
  readonly via: string;
  readonly uri: string | null;
  readonly actor: string | null;
  readonly count: number;
}

async function auditRows(): Promise<AuditRow[]> {
  const { rows, counted, intact } = (await server.operate('audit')) as Record<
    'rows' | 'counted',
    AuditRow[]
  > & { intact: boolean };
  expect(intact).toBe(true);
  return [...rows, ...counted];
}

async function everything(): Promise<string> {
  const unaudited = (await server.exported()).filter(({ type }) =>
    ['fact', 'lane', 'version'].includes(type),
  );
  return JSON.stringify(unaudited);
}

describe('POST /write refuses, and leaves nothing behind but one audit row', () => {
  it.each(REFUSALS)('$name', async ({ name, write, status, code, via, uri = null }) => {
    const [before, rowsBefore] = [await everything(), await auditRows()];
    const answer = await send(server.url, await write());
    const text = await answer.text();
    expect([answer.status, JSON.parse(text).code]).toEqual([status, code]);
    expect(answer.headers.get('content-type')).toBe('application/problem+json');
    expect(JSON.parse(text).next).toMatch(/\w+ \w+/);
    expect(text).not.toContain(MARK);
    expect(await everything()).toBe(before);
    const added = (await auditRows()).slice(rowsBefore.length);
    expect(added).toHaveLength(1);
    const actor = KNOWN_BY[via]?.(code, name) ?? null;
    expect(added[0]).toMatchObject({ outcome: 'refused', reason: code, via, uri, actor, count: 1 });
    expect(JSON.stringify(added)).not.toContain(MARK);
  });

  it('is the same answer for a fact that exists and one that does not, to a writer without both read scopes', async () => {
    const answers = await Promise.all(
      ['care://ray/weight_bearing', 'care-internal://ray/risk', 'care://ray/risk', 'care://ray/nothing'].map(
        async (uri) => {
          const answer = await send(server.url, bearer('half writer', writeBody(uri, 'x')));
          return [answer.status, await answer.text()];
        },
      ),
    );
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
  });

  it('names the head to a writer whose condition failed, and no head where there is no fact', async () => {
    const moved = await (await send(server.url, signed(good(), { ifMatch: hash('1') }))).json();
    expect(moved).toHaveProperty('head', expect.stringMatching(/^[0-9a-f]{64}$/));
    const absent = await (
      await send(server.url, signed(writeBody('care://ray/no', 'x'), { ifMatch: hash('1') }))
    ).json();
    expect(absent).not.toHaveProperty('head');
  });

  it('challenges a bearer that was refused, and says no error where no credential was sent', async () => {
    const refused = await send(server.url, bearer(MARK));
    expect(refused.headers.get('www-authenticate')).toContain('error="invalid_token"');
    const none = await send(server.url, { body: good(), headers: { 'content-type': 'application/json' } });
    expect(none.headers.get('www-authenticate')).toContain('/.well-known/oauth-protected-resource/mcp');
    expect(none.headers.get('www-authenticate')).not.toContain('error=');
  });

  it('refuses a header sent twice', async () => {
    const { body, headers } = signed(good());
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
    const answer = await raw([
      'POST /write HTTP/1.1',
      'host: localhost',
      `content-length: ${Buffer.byteLength(body)}`,
      'connection: close',
      ...lines,
      `x-unsay-signature: v1=${'0'.repeat(64)}`,
      '',
      body,
    ]);
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(answer).toContain('"code":"malformed"');
  });

  it('refuses a declared length over the limit before any of the body has come', async () => {
    const answer = await raw([
      'POST /write HTTP/1.1',
      'host: localhost',
      'content-type: application/json',
      'content-length: 99999999',
      '',
      '',
    ]);
    expect(answer).toMatch(/^HTTP\/1\.1 413 /);
  });

  it('refuses a body that grows past the limit without reading it whole', async () => {
    const chunk = `4000\r\n${'x'.repeat(0x4000)}\r\n`;
    const answer = await raw(
      [
        'POST /write HTTP/1.1',
        'host: localhost',
        'content-type: application/json',
        'transfer-encoding: chunked',
        '',
        '',
      ],
      chunk.repeat(64),
    );
    expect(answer).toMatch(/^HTTP\/1\.1 413 /);
  });
});

describe('a signature works once', () => {
  it('is refused the second time, also after a restart, and also where the first was refused', async () => {
    const accepted = signed(writeBody('care://ray/once', 'said once'));
    const refused = signed(writeBody('care://ray/risk', 'never'));
    expect((await send(server.url, accepted)).status).toBe(201);
    expect((await send(server.url, refused)).status).toBe(409);
    for (const write of [accepted, refused])
      expect(await codeOf(await send(server.url, write))).toBe('replayed');
    await server.stop();
    expect(server.lines.at(-1)).toBe('Stopped.');
    server = await startServer(data);
    for (const write of [accepted, refused])
      expect(await codeOf(await send(server.url, write))).toBe('replayed');
    const rows = (await auditRows()).filter(({ reason }) => reason === 'replayed');
    expect(rows).toHaveLength(4);
  });

  it('lets one of many at once through', async () => {
    const write = signed(writeBody('care://ray/race', 'once'));
    const answers = await Promise.all(Array.from({ length: 8 }, () => send(server.url, write)));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(7);
  });
});

async function codeOf(answer: Response): Promise<string> {
  return ((await answer.json()) as { code: string }).code;
}

/** Sends bytes as they are and gives everything that comes back until the server closes. */
function raw(head: readonly string[], rest = ''): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
    let answer = '';
    socket.setEncoding('utf8');
    socket.on('data', (text: string) => {
      answer += text;
      if (answer.includes('"next"')) socket.destroy();
    });
    // The server may close while bytes are still on their way.
    socket.on('error', () => {});
    socket.once('close', () => resolve(answer));
    socket.write(head.join('\r\n'));
    socket.write(rest);
  });
}
