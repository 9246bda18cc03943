import { beforeEach, expect, test } from 'vitest';
import { FactReader } from '../live/fact-reader.ts';
import { retractionOf } from '../live/sample-fact.ts';
import { VirtualScheduler } from '../page/virtual-scheduler.ts';
import { MS_PER_WORD, silentEngine } from '../speech/silent-engine.ts';
import { GAIT, SampleServer, STAIRS, settle } from './sample-server.ts';
import { Speaker } from './speaker.ts';

/** The index at which "New words number N" begins again in a sample retraction. */
const NEW_FROM = 10;

let scheduler: VirtualScheduler;
let server: SampleServer;
let reader: FactReader;
let speaker: Speaker;

/** Lets speech go on until `words` more words have begun. */
async function hear(words: number): Promise<void> {
  for (let word = 0; word < words; word += 1) {
    scheduler.advance(word === 0 && speaker.caption.word === null ? 0 : MS_PER_WORD);
    await settle();
  }
}

async function hearOut(): Promise<void> {
  for (let word = 0; word < 100 && speaker.busy; word += 1) {
    scheduler.advance(MS_PER_WORD);
    await settle();
  }
}

async function say(...uris: string[]): Promise<void> {
  speaker.say(uris);
  await settle();
}

/** The server publishes a version and announces it. */
async function publish(uri: string): Promise<void> {
  server.heads.set(uri, (server.heads.get(uri) ?? 0) + 1);
  reader.announce(uri);
  await settle();
}

const lines = (): string[] =>
  speaker.said.map(({ utterance, heard, cut }) => {
    const end = cut === null ? 'whole' : `${cut} after ${heard}`;
    return `${utterance.kind} ${utterance.text} (${end})`;
  });
const retraction = (from: number, to: number): string => `retraction ${retractionOf(from, to)}`;

beforeEach(async () => {
  scheduler = new VirtualScheduler();
  server = new SampleServer();
  reader = new FactReader({
    scheduler,
    chance: () => 0,
    events: {
      suspect: (uri) => speaker.suspect(uri),
      confirmed: (fact) => speaker.confirmed(fact),
      unconfirmed: (uri) => speaker.unconfirmed(uri),
      absent: (uri) => speaker.absent(uri),
    },
  });
  speaker = new Speaker({
    engine: silentEngine(scheduler),
    now: () => scheduler.now(),
    changed: () => {},
    source: {
      fact: (uri) => reader.fact(uri),
      standing: (uri) => reader.standing(uri),
      refresh: (uri) => void reader.refresh(uri),
      retractionFrom: server.retractionFrom,
    },
  });
  reader.attach(server.read);
  await Promise.all([reader.refresh(GAIT), reader.refresh(STAIRS)]);
  speaker.connect();
});

test('a fact is said word by word to its end', async () => {
  await say(GAIT);
  await hear(1);
  expect(speaker.caption).toMatchObject({ state: 'speaking', uri: GAIT, word: 0, cut: null });
  await hear(2);
  expect(speaker.caption.word).toBe(2);
  await hearOut();
  expect(speaker.caption.state).toBe('done');
  expect(lines()).toEqual(['fact New words number 1 (whole)']);
});

test('a change cuts at the announcement, before the re-read, and then takes the words back', async () => {
  await say(GAIT);
  await hear(2);
  server.hold();
  await publish(GAIT);
  expect(speaker.caption).toMatchObject({ state: 'cut', uri: GAIT, cut: { heard: 2, reason: 'changed' } });
  scheduler.advance(10_000);
  expect(speaker.caption.state).toBe('cut');
  await server.release();
  expect(speaker.caption).toMatchObject({ state: 'retracting', cut: { heard: 2 } });
  expect(speaker.caption.utterance?.text).toBe(retractionOf(1, 2));
  await hearOut();
  expect(lines()).toEqual(['fact New words number 1 (changed after 2)', `${retraction(1, 2)} (whole)`]);
  expect(speaker.caption.state).toBe('done');
});

test('a fact that was heard earlier is taken back after what is being said', async () => {
  await say(GAIT);
  await hearOut();
  await say(STAIRS);
  await hear(1);
  await publish(GAIT);
  expect(speaker.caption).toMatchObject({ state: 'speaking', uri: STAIRS });
  await hearOut();
  expect(lines().slice(1)).toEqual(['fact New words number 1 (whole)', `${retraction(1, 2)} (whole)`]);
});

test('a retraction goes before whatever else waits, and answers a wish to hear the same fact', async () => {
  await say(GAIT);
  await hearOut();
  await say(STAIRS, GAIT);
  await hear(1);
  await publish(GAIT);
  await hearOut();
  expect(lines().slice(2)).toEqual([`${retraction(1, 2)} (whole)`]);
});

test('nothing new is begun while a fact that was heard is being read again', async () => {
  await say(GAIT);
  await hearOut();
  server.hold();
  await publish(GAIT);
  await say(STAIRS);
  expect(speaker.caption.state).toBe('done');
  await server.release();
  await hearOut();
  expect(lines().slice(1)).toEqual([`${retraction(1, 2)} (whole)`, 'fact New words number 1 (whole)']);
});

test('a fact that was never said is swapped in silence', async () => {
  await publish(GAIT);
  scheduler.advance(10_000);
  expect(speaker.caption.state).toBe('idle');
  await say(GAIT);
  await hearOut();
  expect(lines()).toEqual(['fact New words number 2 (whole)']);
});

test('a change between the reading and the first word says only the new words', async () => {
  await say(GAIT);
  expect(speaker.caption).toMatchObject({ state: 'speaking', word: null });
  await publish(GAIT);
  await hearOut();
  expect(lines()).toEqual(['fact New words number 2 (whole)']);
  expect(speaker.caption.cut).toBeNull();
});

test('a change while the fact is being read says only the new words', async () => {
  server.hold();
  speaker.say([GAIT]);
  await publish(GAIT);
  await server.release();
  await hearOut();
  expect(lines()).toEqual(['fact New words number 2 (whole)']);
});

test('two changes in a row give one retraction, from what was heard to what holds', async () => {
  await say(GAIT);
  await hear(3);
  server.hold();
  await publish(GAIT);
  await publish(GAIT);
  await server.release();
  await hearOut();
  expect(lines()).toEqual(['fact New words number 1 (changed after 3)', `${retraction(1, 3)} (whole)`]);
});

test('a change during a retraction, before its new words: the first words are taken back for the newest', async () => {
  await say(GAIT);
  await hear(2);
  await publish(GAIT);
  await hear(NEW_FROM);
  await publish(GAIT);
  await hearOut();
  expect(lines().slice(1)).toEqual([
    `${retraction(1, 2)} (changed after ${NEW_FROM})`,
    `${retraction(1, 3)} (whole)`,
  ]);
});

test('a change during a retraction, within its new words: those are what is taken back', async () => {
  await say(GAIT);
  await hear(2);
  await publish(GAIT);
  await hear(NEW_FROM + 1);
  await publish(GAIT);
  await hearOut();
  expect(lines().slice(1)).toEqual([
    `${retraction(1, 2)} (changed after ${NEW_FROM + 1})`,
    `${retraction(2, 3)} (whole)`,
  ]);
});

test('a change while the sentence that takes two versions back is being fetched makes that sentence void', async () => {
  await say(GAIT);
  await hearOut();
  server.holdRetractions();
  server.heads.set(GAIT, 2);
  await publish(GAIT);
  expect(speaker.caption).toMatchObject({ state: 'done', checking: true });
  await publish(GAIT);
  await server.release();
  await hearOut();
  expect(lines().slice(1)).toEqual([`${retraction(1, 4)} (whole)`]);
});

test('an announcement that changed nothing cuts, and the same words are said again', async () => {
  await say(GAIT);
  await hear(2);
  reader.announce(GAIT);
  expect(speaker.caption.state).toBe('cut');
  await settle();
  await hearOut();
  expect(lines()).toEqual(['fact New words number 1 (changed after 2)', 'fact New words number 1 (whole)']);
});

test('an announcement that was lost is caught by the next reading', async () => {
  await say(GAIT);
  await hear(2);
  server.heads.set(GAIT, 2);
  await reader.refresh(GAIT);
  await hearOut();
  expect(lines()).toEqual(['fact New words number 1 (changed after 2)', `${retraction(1, 2)} (whole)`]);
});

test('when the re-read fails the page says so, and takes the words back once it can', async () => {
  await say(GAIT, STAIRS);
  await hear(2);
  server.failing = true;
  await publish(GAIT);
  expect(speaker.caption).toMatchObject({ state: 'cut', notice: { kind: 'unconfirmed', uri: GAIT } });
  expect(speaker.busy).toBe(false);
  server.failing = false;
  scheduler.advance(250);
  await settle();
  expect(speaker.caption).toMatchObject({ state: 'retracting', notice: { kind: 'none' } });
  await hearOut();
  expect(lines().at(-1)).toBe(`${retraction(1, 2)} (whole)`);
});

test('a fact that is gone in mid-sentence is cut, and the page says that it is gone', async () => {
  await say(GAIT);
  await hear(2);
  server.heads.delete(GAIT);
  reader.announce(GAIT);
  await settle();
  expect(speaker.caption).toMatchObject({ state: 'cut', notice: { kind: 'gone', uri: GAIT } });
});

test('without a sentence from the server nothing is made up', async () => {
  await say(GAIT);
  await hearOut();
  server.knowsRetractions = false;
  server.heads.set(GAIT, 2);
  await publish(GAIT);
  scheduler.advance(10_000);
  await settle();
  expect(speaker.caption.notice).toEqual({ kind: 'no-retraction', uri: GAIT });
  expect(lines()).toHaveLength(1);
});

test('a withdrawn fact, whose older versions are absent, is taken back with the sentence on its head', async () => {
  await say(GAIT);
  await hearOut();
  server.knowsRetractions = false;
  server.withdrawn = true;
  server.heads.set(GAIT, 2);
  await publish(GAIT);
  await hearOut();
  expect(lines().at(-1)).toBe(`${retraction(2, 3)} (whole)`);
});

test('a lost connection stops speech, and nothing begins until it is back', async () => {
  await say(GAIT, STAIRS);
  await hear(2);
  reader.detach();
  speaker.disconnect();
  expect(speaker.caption).toMatchObject({ state: 'cut', cut: { heard: 2, reason: 'disconnected' } });
  await say(STAIRS);
  scheduler.advance(10_000);
  expect(speaker.busy).toBe(false);
  expect(lines()).toEqual(['fact New words number 1 (disconnected after 2)']);
});

test('what changed while the connection was gone is taken back once it is live again', async () => {
  await say(GAIT);
  await hear(2);
  reader.detach();
  speaker.disconnect();
  server.heads.set(GAIT, 2);
  reader.attach(server.read);
  await Promise.all([reader.refresh(GAIT), reader.refresh(STAIRS)]);
  expect(speaker.busy).toBe(false);
  speaker.connect();
  await hearOut();
  expect(lines().at(-1)).toBe(`${retraction(1, 2)} (whole)`);
});

test('a person may stop a retraction; it returns when they ask for the fact or it changes again', async () => {
  await say(GAIT);
  await hearOut();
  await publish(GAIT);
  await hear(2);
  speaker.stop();
  reader.announce(GAIT);
  await settle();
  scheduler.advance(10_000);
  expect(speaker.busy).toBe(false);
  await say(GAIT);
  await hearOut();
  expect(lines().slice(1)).toEqual([`${retraction(1, 2)} (stopped after 2)`, `${retraction(1, 2)} (whole)`]);
});

test('stop in mid-fact says nothing more, and a later change still takes back what was heard', async () => {
  await say(GAIT, STAIRS);
  await hear(2);
  speaker.stop();
  scheduler.advance(10_000);
  expect(speaker.caption).toMatchObject({ state: 'cut', cut: { heard: 2, reason: 'stopped' } });
  await publish(GAIT);
  await hearOut();
  expect(lines().at(-1)).toBe(`${retraction(1, 2)} (whole)`);
});
