import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connect, ERAS, type EraClient } from '../harness/era-client.ts';
import { type RunningServer, removeFolder, startServer, temporaryFolder } from '../harness/running-server.ts';
import { send, signed, writeBody } from '../harness/signed-write.ts';
import type { Exchange } from '../harness/wire-tap.ts';
import {
  AUTHOR_IDS,
  CARD,
  EVERYTHING,
  INTERNAL,
  INTERNAL_WORDS,
  READ_BOTH,
  SPEAKABLE,
} from './demonstration.ts';

const MIA = ['care-internal://mia/money', 'care://mia/diet'];
const PRIVATE_AUTHOR = 'oncologist-on-duty';
const HOLDERS = {
  user: { scope: 'care.read.user', subject: 'ray' },
  assistant: { scope: 'care.read.assistant', subject: 'ray' },
  both: { scope: READ_BOTH, subject: 'ray' },
  'both and more': { scope: `${READ_BOTH} care.write care.speak care.audit`, subject: 'ray' },
  'of another subject': { scope: READ_BOTH, subject: 'mia' },
  'of two subjects': { scope: 'care.read.user', subject: 'ray,mia' },
  'of every subject': { scope: READ_BOTH, subject: '*' },
  'of an unknown subject': { scope: READ_BOTH, subject: 'nobody' },
} as const;
type Holder = keyof typeof HOLDERS;

const data = temporaryFolder();
let server: RunningServer;
const clients = new Map<string, EraClient>();

beforeAll(async () => {
  server = await startServer(data);
  for (const uri of MIA) {
    const write = signed(writeBody(uri, `About ${uri}.`, { authorId: PRIVATE_AUTHOR }));
    expect((await send(server.url, write)).status).toBe(201);
  }
  for (const holder of Object.keys(HOLDERS) as Holder[]) {
    const { scope, subject } = HOLDERS[holder];
    const token = await server.mint(scope, { sub: holder, subject });
    for (const era of ERAS) clients.set(`${era} ${holder}`, await connect(era, server.url, token));
  }
});

afterAll(async () => {
  await Promise.all([...clients.values()].map((client) => client.close()));
  await server?.kill();
  removeFolder(data);
});

describe.each(ERAS)('a %s client', (era) => {
  const as = (holder: Holder): EraClient => {
    const client = clients.get(`${era} ${holder}`);
    if (client === undefined) throw new Error(`no client for ${holder}`);
    return client;
  };

  it.each<[Holder, readonly string[], readonly number[]]>([
    ['user', SPEAKABLE, [3, 3, 1]],
    ['assistant', INTERNAL, [3]],
    ['both', EVERYTHING, [3, 3, 3]],
    ['both and more', EVERYTHING, [3, 3, 3]],
    ['of another subject', MIA, [3]],
    ['of two subjects', ['care://mia/diet', ...SPEAKABLE], [3, 3, 2]],
    ['of every subject', [...EVERYTHING, ...MIA].sort(), [3, 3, 3, 2]],
    ['of an unknown subject', [], [1]],
  ])(
    'lists to a holder %s what it may read, and the card, in order, in pages of three',
    async (holder, uris, sizes) => {
      const pages = await pagesOf(as(holder));
      expect(pages.flat()).toEqual([...uris, CARD]);
      expect(pages.map((page) => page.length)).toEqual(sizes);
    },
  );

  it('refuses a cursor that was altered, is another’s, or was made for something else', async () => {
    const cursor = await firstCursor(as('both'));
    const { structuredContent } = await as('both').tool('whats_changed', {});
    const others = await Promise.all([firstCursor(as('user')), firstCursor(as('of every subject'))]);
    const flipped = `${cursor.slice(0, 20)}${cursor[20] === 'A' ? 'B' : 'A'}${cursor.slice(21)}`;
    const changes = (structuredContent as { cursor: string }).cursor;
    const bad = [
      ...others,
      flipped,
      changes,
      `${cursor}A`,
      cursor.slice(1),
      'nonsense',
      '',
      'care://ray/gait',
    ];
    const answers = new Set<string>();
    for (const wrong of bad) {
      const refusal = await as('both').refusal('resources/list', { cursor: wrong });
      expect(refusal.code).toBe(-32602);
      answers.add(answerOf(refusal.on));
    }
    expect(answers.size).toBe(1);
    expect((await as('both').call('resources/list', { cursor })).resources).toHaveLength(3);
  });

  const NOT_FOUND = [
    'care-internal://ray/risk',
    'care-internal://ray/risk/v1',
    'care-internal://ray/absent',
    'care://ray/risk',
    'care://ray/risk/v1',
    'care-internal://ray/wound',
    'care://ray/absent',
    'care://ray/wound/v2',
    'care://mia/diet',
    'care://nobody/diet',
    'CARE://ray/wound',
    'care://RAY/wound',
    'care://ray/Wound',
    'care://ray/%77ound',
    'care://r%61y/wound',
    'care-internal%3A//ray/risk',
    'care://ray/wound/v0',
    'care://ray/wound/v01',
    'care://ray/wound/v+1',
    'care://ray/wound/v1/',
    'care://ray/wound/',
    'care://ray//wound',
    'care://ray/../ray/wound',
    'care://ray@ray/wound',
    'care://ray:80/wound',
    'care://ray/wound?topic=wound',
    'care://ray/wound#',
    ' care://ray/wound',
    'care://ray/wound ',
    'care://ray/wound\n',
    'care://ray/wound\u0000',
    'care:ray/wound',
    'care:///ray/wound',
    'ray/wound',
    `care://ray/${'x'.repeat(65)}`,
    'file:///etc/passwd',
    'ui://unsay/other',
  ];

  it('finds a forbidden, absent, malformed or respelled URI not there, all in the same bytes', async () => {
    const answers = new Set<string>();
    for (const uri of NOT_FOUND) {
      const { code, data, on } = await as('user').refusal('resources/read', { uri });
      expect([uri, code]).toEqual([uri, era === 'modern' ? -32602 : -32002]);
      expect(data).toEqual({ uri });
      answers.add(answerOf(on, uri));
    }
    expect([...answers]).toHaveLength(1);
  });

  it.each<[Holder, string]>([
    ['both', 'care://ray/risk'],
    ['both', 'care://ray/family/v1'],
    ['both', 'care-internal://ray/wound'],
    ['both and more', 'care://ray/risk'],
    ['of every subject', 'care-internal://ray/weight_bearing/v1'],
    ['assistant', 'care://ray/wound'],
    ['assistant', 'care://ray/risk'],
    ['of another subject', 'care://ray/wound'],
    ['of an unknown subject', 'care://ray/wound'],
  ])('finds nothing, as a holder of %s, under %s', async (holder, uri) => {
    const asked = await as(holder).refusal('resources/read', { uri });
    const absent = await as(holder).refusal('resources/read', { uri: 'care://ray/absent' });
    expect(answerOf(asked.on, uri)).toBe(answerOf(absent.on, 'care://ray/absent'));
  });

  it('offers the templates of what may be read', async () => {
    const templates = async (holder: Holder): Promise<unknown> => {
      const { resourceTemplates } = await as(holder).call('resources/templates/list');
      return (resourceTemplates as { uriTemplate: string }[]).map(({ uriTemplate }) => uriTemplate);
    };
    expect(await templates('user')).toEqual(['care://{subject}/{topic}']);
    expect(await templates('assistant')).toEqual(['care-internal://{subject}/{topic}']);
    expect(await templates('both')).toEqual([
      'care://{subject}/{topic}',
      'care-internal://{subject}/{topic}',
    ]);
  });

  it.each<[Holder, string, string, string, readonly string[]]>([
    ['user', 'care://{subject}/{topic}', 'subject', '', ['ray']],
    ['user', 'care://{subject}/{topic}', 'topic', 'w', ['weight_bearing', 'wound']],
    ['user', 'care-internal://{subject}/{topic}', 'subject', '', []],
    ['user', 'care-internal://{subject}/{topic}', 'topic', '', []],
    ['user', 'care-other://{subject}/{topic}', 'topic', '', []],
    ['assistant', 'care-internal://{subject}/{topic}', 'topic', '', ['family', 'risk']],
    ['assistant', 'care://{subject}/{topic}', 'topic', '', []],
    ['both', 'care://{subject}/{topic}', 'topic', 'r', []],
    ['of two subjects', 'care://{subject}/{topic}', 'subject', '', ['mia', 'ray']],
    ['of two subjects', 'care://{subject}/{topic}', 'topic', 'd', ['diet']],
    ['of an unknown subject', 'care://{subject}/{topic}', 'subject', '', []],
  ])('completes for a holder %s, in %s, the %s “%s”', async (holder, uri, name, value, values) => {
    const ref = { type: 'ref/resource', uri };
    const { completion } = await as(holder).call('completion/complete', { ref, argument: { name, value } });
    expect(completion).toMatchObject({ values, total: values.length });
  });

  it.each<[Holder, readonly string[]]>([
    ['user', ['ray']],
    ['both', ['ray']],
    ['assistant', []],
    ['of another subject', ['mia']],
    ['of an unknown subject', []],
  ])('completes the subject of the briefing for a holder %s', async (holder, values) => {
    const ref = { type: 'ref/prompt', name: 'brief_carer' };
    const argument = { name: 'subject', value: '' };
    const { completion } = await as(holder).call('completion/complete', { ref, argument });
    expect(completion).toMatchObject({ values });
  });

  it('briefs a carer from what may be spoken, whatever else the caller may read', async () => {
    const briefing = async (holder: Holder): Promise<string> => {
      const prompt = { name: 'brief_carer', arguments: { subject: 'ray' } };
      return JSON.stringify((await as(holder).call('prompts/get', prompt)).messages);
    };
    const text = await briefing('both and more');
    expect(text).toBe(await briefing('user'));
    expect(text).toContain('no more than 30 kilograms on your left leg');
    expect(text).not.toContain('20 kilograms');
    for (const words of INTERNAL_WORDS) expect(text).not.toContain(words);
    expect(text.match(/PAST ITS REVIEW DATE/g)).toHaveLength(1);
    const { _meta } = await as('both and more').call('prompts/get', {
      name: 'brief_carer',
      arguments: { subject: 'ray' },
    });
    const cited = (_meta as { 'unsay/citations': string[] })['unsay/citations'];
    expect(cited).toHaveLength(6);
    expect(cited).toContain('care://ray/weight_bearing/v2');
    expect(cited.filter((uri) => !uri.startsWith('care://ray/'))).toEqual([]);
    expect(text).toMatch(/anticoagulant: [^\n]*6 days ago by the ward pharmacist[^\n]*PAST ITS REVIEW DATE/);
  });

  it.each<[Holder, string]>([
    ['assistant', 'ray'],
    ['user', 'mia'],
    ['user', 'nobody'],
    ['user', '*'],
    ['of every subject', 'nobody'],
  ])('has nothing to brief a holder %s about under %s', async (holder, subject) => {
    const refusal = await as(holder).refusal('prompts/get', { name: 'brief_carer', arguments: { subject } });
    expect(refusal).toMatchObject({
      code: -32602,
      message: 'subject: there is nothing to brief about under that name.',
    });
  });

  it('reads a fact with everything that a device needs in _meta', async () => {
    const result = await as('user').call('resources/read', { uri: 'care://ray/weight_bearing' });
    const [content] = result.contents as [Content];
    expect(content.text).toMatch(/no more than 30 kilograms on your left leg/);
    expect(content._meta).toMatchObject({
      'unsay/version': 2,
      'unsay/audience': 'user',
      'unsay/stale': false,
      'unsay/attested': false,
      'unsay/author': 'Nadia Osei, physiotherapist',
      'unsay/value': content.text,
      'unsay/spoken': content.text,
    });
    const first = await as('user').call('resources/read', { uri: 'care://ray/weight_bearing/v1' });
    const [older] = first.contents as [Content];
    expect(older.text).toContain('20 kilograms');
    expect(content._meta['unsay/prevHash']).toBe(older._meta['unsay/versionHash']);
    expect(content._meta['unsay/versionHash']).toMatch(/^[0-9a-f]{64}$/);
    expect(Date.parse(String(content._meta['unsay/lastModified']))).not.toBeNaN();
    // A result says how long it may be kept, in the era that has words for it: not at all.
    const cache = era === 'modern' ? { ttlMs: 0, cacheScope: 'private', resultType: 'complete' } : {};
    expect(result).toMatchObject(cache);
    expect(Object.hasOwn(result, 'ttlMs')).toBe(era === 'modern');
  });

  it('says the age of what is past its review date before the words', async () => {
    const { contents } = await as('user').call('resources/read', { uri: 'care://ray/anticoagulant' });
    const [{ text, _meta }] = contents as [Content];
    expect(text).toMatch(
      /^\[STALE — last changed 6 days ago by the ward pharmacist; say this age aloud\] Inject 40 milligrams/,
    );
    expect(_meta['unsay/stale']).toBe(true);
    expect(_meta['unsay/value']).toMatch(/^Inject 40 milligrams/);
  });

  it('hints at whom a text is for, as the scheme already says', async () => {
    const { resources } = await as('both').call('resources/list');
    for (const { uri, annotations } of resources as Listed[]) {
      const audience = uri.startsWith('care://') ? 'user' : 'assistant';
      expect(annotations.audience).toEqual([audience]);
      const { contents } = await as('both').call('resources/read', { uri });
      expect((contents as [Content])[0]._meta['unsay/audience']).toBe(audience);
    }
  });

  it('names no author by id, and one without a label as the care team', async () => {
    const { contents } = await as('of another subject').call('resources/read', { uri: 'care://mia/diet' });
    expect((contents as [Content])[0]._meta['unsay/author']).toBe('your care team');
    await as('both').tool('whats_changed', {});
    for (const client of clients.values()) {
      for (const id of [...AUTHOR_IDS, PRIVATE_AUTHOR]) expect(client.tap.everything).not.toContain(id);
    }
  });

  it('has told a reader without the scope no internal word and no internal URI', () => {
    for (const holder of ['user', 'of two subjects'] as const) {
      const answers = as(holder).tap.exchanges.filter(({ request }) => !/resources.read/.test(request));
      const told = answers.map(({ text }) => text).join('\n');
      expect(told).toContain('care://ray/wound');
      for (const words of [...INTERNAL_WORDS, ...INTERNAL, 'care-internal://ray', '"risk"', '"family"'])
        expect(told).not.toContain(words);
    }
  });
});

// Last, for it leaves facts behind that a holder of every subject would be listed.
describe.each(ERAS)('paging by a %s client', (era) => {
  it('hides nothing from a reader of pages when a fact is created between two of them', async () => {
    const subject = `between-${era}`;
    const create = async (topic: string): Promise<void> => {
      const write = signed(writeBody(`care://${subject}/${topic}`, `${topic}.`));
      expect((await send(server.url, write)).status).toBe(201);
    };
    for (const topic of ['b', 'd', 'f', 'h']) await create(topic);
    const token = await server.mint('care.read.user', { subject });
    const client = await connect(era, server.url, token);
    const first = await client.call('resources/list');
    for (const topic of ['a', 'e', 'g']) await create(topic);
    const second = await client.call('resources/list', { cursor: first.nextCursor });
    await client.close();
    expect(urisOf(first)).toEqual(['b', 'd', 'f'].map((topic) => `care://${subject}/${topic}`));
    expect(urisOf(second)).toEqual([...['g', 'h'].map((topic) => `care://${subject}/${topic}`), CARD]);
  });
});

interface Content {
  readonly text: string;
  readonly _meta: Readonly<Record<string, unknown>>;
}

interface Listed {
  readonly uri: string;
  readonly annotations: { readonly audience: readonly string[] };
}

function urisOf({ resources }: Record<string, unknown>): string[] {
  return (resources as Listed[]).map(({ uri }) => uri);
}

async function pagesOf(client: EraClient): Promise<string[][]> {
  const pages: string[][] = [];
  let cursor: unknown;
  do {
    const page = await client.call('resources/list', cursor === undefined ? {} : { cursor });
    pages.push(urisOf(page));
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return pages;
}

async function firstCursor(client: EraClient): Promise<string> {
  return String((await client.call('resources/list')).nextCursor);
}

/** Everything of an answer but the URI that was asked for, the id of the request, the time and the length. */
function answerOf({ status, headers, text }: Exchange, uri?: string): string {
  const { date: _date, 'content-length': _length, 'mcp-session-id': _session, ...rest } = headers;
  const said = JSON.stringify(uri ?? 'no uri').slice(1, -1);
  const body = text.replaceAll(said, 'URI').replace(/"id":\d+/, '"id":N');
  return JSON.stringify([status, rest, body]);
}
