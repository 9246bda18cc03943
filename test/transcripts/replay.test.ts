import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningServer, removeFolder, startServer, temporaryFolder } from '../harness/running-server.ts';
import { replay } from './replay.ts';
import { readTranscripts, type Step, type Transcript } from './transcript-file.ts';

const files = readTranscripts();
const transcripts = files.flatMap(({ file, program, transcripts: each }) =>
  each.map((transcript) => ({
    file,
    program,
    who: `${transcript.client} ${transcript.version}`,
    transcript,
  })),
);

let server: RunningServer;
const data = temporaryFolder();

beforeAll(async () => {
  server = await startServer(data);
});

afterAll(async () => {
  await server?.kill();
  removeFolder(data);
});

const target = async (sub: string) => ({
  url: server.url,
  token: await server.mint('care.read.user', { sub }),
});

describe('what real clients sent', () => {
  it.each(transcripts)('$file: $who is answered as it was', async ({ file, transcript }) => {
    const { sent, differences } = await replay(transcript, await target(file));
    expect(differences).toEqual([]);
    expect(sent).toBeGreaterThan(0);
  });

  it('is of clients of both eras and of both phases, each named with its date', () => {
    const eras = new Set(transcripts.map(({ transcript }) => transcript.era));
    expect([...eras]).toEqual(expect.arrayContaining(['legacy', 'modern']));
    expect(new Set(transcripts.map(({ transcript }) => transcript.phase))).toEqual(new Set(['open', 'auth']));
    expect(files.length).toBeGreaterThan(15);
    for (const { transcript, program } of transcripts) {
      expect(transcript.date).toMatch(/^20\d\d-\d\d-\d\d$/);
      expect(program).not.toBe('');
      expect(['captured', 'reconstructed']).toContain(transcript.origin);
    }
  });

  it('holds no credential: every header that could carry one is a placeholder', () => {
    const headers = transcripts.flatMap(({ transcript }) =>
      transcript.steps.flatMap((step) => Object.entries(step.headers)),
    );
    const secretive = headers.filter(([name]) => /authorization|cookie|session|event-id|api-key/.test(name));
    expect(secretive.length).toBeGreaterThan(0);
    expect(secretive.filter(([, value]) => !/^<[a-z ]+>$/.test(value))).toEqual([]);
  });
});

describe('a replay', () => {
  const captured = (file: string): Transcript => {
    const found = transcripts.find((each) => each.file === file);
    if (found === undefined) throw new Error(`${file} is not there`);
    return found.transcript;
  };

  it.each([
    ['status', { status: 202 }],
    ['sort of body', { body: 'stream' }],
    ['outcome', { outcome: 'error' }],
    ['code', { code: -32600 }],
    ['fields', { fields: ['something'] }],
  ])('notices another %s', async (_what, change) => {
    const transcript = captured('official-modern-open.json');
    const steps = transcript.steps.map((step) => ({
      ...step,
      answer: { ...step.answer, ...change } as Step['answer'],
    }));
    const { differences, sent } = await replay({ ...transcript, steps }, await target('changed'));
    expect(differences.length).toBeGreaterThan(sent / 2);
  });

  it('notices a page where metadata should be, and a challenge that is none', async () => {
    const transcript = captured('official-modern-auth.json');
    const steps = transcript.steps.map((step) =>
      step.path.includes('.well-known') ? { ...step, path: '/.well-known/../device' } : step,
    );
    const { differences } = await replay({ ...transcript, steps }, await target('changed'));
    expect(differences.some(({ step }) => step.includes('.well-known'))).toBe(true);
  });
});
