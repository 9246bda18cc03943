import type { LookupAddress } from 'node:dns';
import type { ServerResponse } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import {
  answerJson,
  createClientDocumentHost,
  TRUSTED_CERTIFICATES,
} from '../../testing/client-document-host.ts';
import { type ClientDocumentFetchOptions, createClientDocumentFetch } from './client-document-fetch.ts';

const LOOPBACK: LookupAddress = { address: '127.0.0.1', family: 4 };

function createFetch(options: Partial<ClientDocumentFetchOptions> = {}) {
  const resolved: string[] = [];
  const fetchDocument = createClientDocumentFetch({
    async resolve(hostname) {
      resolved.push(hostname);
      return [LOOPBACK];
    },
    privateHosts: ['client.example'],
    trustedCertificates: TRUSTED_CERTIFICATES,
    ...options,
  });
  return { fetchDocument, resolved };
}

async function fetchFrom(
  answer: (res: ServerResponse) => void,
  options: Partial<ClientDocumentFetchOptions> = {},
) {
  const host = await createClientDocumentHost((_req, res) => answer(res));
  const { fetchDocument } = createFetch(options);
  return fetchDocument(`https://client.example:${host.port}/client.json`);
}

describe('a document', () => {
  it('comes with what says how long it may be kept, and with nothing else', async () => {
    const headers = { 'cache-control': 'max-age=7', 'set-cookie': 'a=b', 'x-more': '1' };
    const response = await fetchFrom((res) => answerJson(res, { a: 1 }, headers));
    expect(await response.json()).toEqual({ a: 1 });
    expect(Object.fromEntries(response.headers)).toEqual({ 'cache-control': 'max-age=7' });
  });

  it.each(['application/json; charset=utf-8', 'application/vnd.a+json', 'APPLICATION/JSON'])(
    'may be of the type %s',
    async (type) => {
      const response = await fetchFrom((res) => answerJson(res, {}, { 'content-type': type }));
      expect(response.status).toBe(200);
    },
  );

  it('may have 5,119 bytes, and no more', async () => {
    const response = await fetchFrom((res) => answerJson(res, `"${'x'.repeat(5117)}"`));
    expect((await response.arrayBuffer()).byteLength).toBe(5119);
    const tooLarge = fetchFrom((res) => answerJson(res, `"${'x'.repeat(5118)}"`));
    await expect(tooLarge).rejects.toThrow('too large');
  });

  it('is left where it is once it is too large', async () => {
    let isClosed: () => void = () => {};
    const closed = new Promise<void>((resolve) => {
      isClosed = resolve;
    });
    const endless = fetchFrom((res) => {
      res.writeHead(200, { 'content-type': 'application/json' });
      const more = () => {
        while (res.write('x'.repeat(1024)));
      };
      res.on('drain', more).on('close', isClosed);
      more();
    });
    await expect(endless).rejects.toThrow('too large');
    await expect(closed).resolves.toBeUndefined();
  });

  it.each<[string, (res: ServerResponse) => void]>([
    ['another status', (res) => res.writeHead(404, { 'content-type': 'application/json' }).end('{}')],
    ['no content', (res) => res.writeHead(204).end()],
    ['another type', (res) => answerJson(res, {}, { 'content-type': 'text/html' })],
    ['a type that only begins so', (res) => answerJson(res, {}, { 'content-type': 'application/jsonp' })],
    ['no type', (res) => res.writeHead(200).end('{}')],
    ['an encoding', (res) => answerJson(res, {}, { 'content-encoding': 'gzip' })],
    ['large headers', (res) => answerJson(res, {}, { 'x-large': 'x'.repeat(10_000) })],
    [
      'an end in the middle',
      (res) => {
        res.writeHead(200, { 'content-type': 'application/json', 'content-length': '9' }).write('{');
        res.on('drain', () => res.destroy());
        res.destroy();
      },
    ],
  ])('is refused for %s', async (_what, answer) => {
    await expect(fetchFrom(answer)).rejects.toThrow();
  });

  it.each([301, 302, 303, 307, 308])('is not looked for elsewhere after %i', async (status) => {
    const target = await createClientDocumentHost((_req, res) => answerJson(res, {}));
    const location = `https://client.example:${target.port}/`;
    const redirected = fetchFrom((res) => res.writeHead(status, { location }).end());
    await expect(redirected).rejects.toThrow(`status ${status}`);
    expect(target.connections()).toBe(0);
  });
});

describe('time', () => {
  it.each<[string, (res: ServerResponse) => void]>([
    ['no answer at all', () => {}],
    [
      'headers and then nothing',
      (res) => res.writeHead(200, { 'content-type': 'application/json' }).flushHeaders(),
    ],
    [
      'a body that never ends',
      (res) => {
        res.writeHead(200, { 'content-type': 'application/json' }).write('{');
      },
    ],
  ])('is short for %s', async (_what, answer) => {
    await expect(fetchFrom(answer, { timeoutMs: 100 })).rejects.toThrow(/abort|timeout/i);
  });

  it('is short for a resolver too', async () => {
    const { fetchDocument } = createFetch({ resolve: () => new Promise(() => {}), timeoutMs: 50 });
    await expect(fetchDocument('https://client.example/')).rejects.toThrow(/timeout/i);
  });

  it('is not spent on more than thirty-two at once, counting look-ups that nobody waits for any more', async () => {
    let answer = (): void => {};
    const answered = new Promise<never[]>((resolve) => {
      answer = () => resolve([]);
    });
    const { fetchDocument } = createFetch({ resolve: () => answered, timeoutMs: 50 });
    const many = Array.from({ length: 32 }, () => fetchDocument('https://client.example/'));
    await expect(fetchDocument('https://client.example/')).rejects.toThrow('too many');
    for (const { status } of await Promise.allSettled(many)) expect(status).toBe('rejected');
    await expect(fetchDocument('https://client.example/')).rejects.toThrow('too many');
    answer();
    await setImmediate();
    await expect(fetchDocument('https://client.example/')).rejects.toThrow('no address');
  });
});

describe('an address', () => {
  it.each([
    'https://127.0.0.1',
    'https://127.1',
    'https://2130706433',
    'https://0x7f000001',
    'https://0177.0.0.1',
    'https://127.0.0.1.',
    'https://①②⑦.0.0.1',
    'https://[::1]',
    'https://[::ffff:127.0.0.1]',
    'https://[0:0:0:0:0:ffff:7f00:1]',
    'https://[64:ff9b::127.0.0.1]',
    'https://[2002:7f00:1::]',
    'https://169.254.169.254',
    'https://10.0.0.1',
    'https://[fe80::1]',
    'https://0',
  ])('that is private is not connected to, however it is spelled: %s', async (origin) => {
    const host = await createClientDocumentHost((_req, res) => answerJson(res, {}));
    const { fetchDocument } = createFetch();
    await expect(fetchDocument(`${origin}:${host.port}/client.json`)).rejects.toThrow('not public');
    expect(host.connections()).toBe(0);
  });

  it.each([
    ['a private one', [LOOPBACK]],
    ['a private one of IPv6', [{ address: '::1', family: 6 }]],
    ['a mapped one', [{ address: '::ffff:127.0.0.1', family: 6 }]],
    ['a public and a private one', [{ address: '1.1.1.1', family: 4 }, LOOPBACK]],
  ])('is refused where a name has %s', async (_what, addresses) => {
    const host = await createClientDocumentHost((_req, res) => answerJson(res, {}));
    const { fetchDocument } = createFetch({
      resolve: async () => addresses,
      privateHosts: ['other.example'],
    });
    const fetched = fetchDocument(`https://client.example:${host.port}/client.json`);
    await expect(fetched).rejects.toThrow('not public');
    expect(host.connections()).toBe(0);
  });

  it('is refused where a name has none', async () => {
    const { fetchDocument } = createFetch({ resolve: async () => [] });
    await expect(fetchDocument('https://client.example/')).rejects.toThrow('no address');
  });

  it('is asked for once, and what was judged is what is connected to', async () => {
    const host = await createClientDocumentHost((_req, res) => answerJson(res, { from: 'judged' }));
    const answers = [[LOOPBACK], [{ address: '192.0.2.1', family: 4 }]];
    const asked: string[] = [];
    const { fetchDocument } = createFetch({
      async resolve(hostname) {
        asked.push(hostname);
        return answers.shift() ?? [];
      },
    });
    // Nobody else knows an address of this name, so the connection can have it from nowhere else.
    const response = await fetchDocument(`https://client.example:${host.port}/client.json`);
    expect(await response.json()).toEqual({ from: 'judged' });
    expect(asked).toEqual(['client.example']);
  });

  it.each([
    'http://client.example/',
    'ftp://client.example/',
    'file:///etc/passwd',
    'data:application/json,{}',
  ])('must be https: %s', async (url) => {
    const { fetchDocument, resolved } = createFetch();
    await expect(fetchDocument(url)).rejects.toThrow('not https');
    expect(resolved).toEqual([]);
  });
});

it('a host that shows no certificate for its name is not believed', async () => {
  const host = await createClientDocumentHost((_req, res) => answerJson(res, {}));
  const { fetchDocument } = createFetch({ privateHosts: ['other.example'] });
  await expect(fetchDocument(`https://other.example:${host.port}/`)).rejects.toThrow(/altnames/);
  const { fetchDocument: wary } = createFetch({ trustedCertificates: [] });
  await expect(wary(`https://client.example:${host.port}/`)).rejects.toThrow(/certificate/);
  expect(host.requests()).toBe(0);
});
