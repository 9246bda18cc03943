import {
  type Asker,
  call,
  eventStream,
  eventsCursorOf,
  mcpRequest,
  openStream,
  sessionStream,
} from './asker.ts';
import type { OpenEngine } from './engine.ts';
import { LOGGING, QUESTIONS } from './questions.ts';
import type { Ask, Era, Hidden, Listen, Step, Trace, Write } from './trace.ts';
import { NOWHERE, type Person, type View } from './views.ts';
import { type Plant, START, startWorld, type World } from './world.ts';

/** Everything the observers of a world received, in order: what for, and the bytes. Nothing is masked. */
export type Transcript = readonly string[];

/** Which of the two worlds a trace is lived through in. */
export type Which = 'inOne' | 'inOther';

// What every trace begins with, so that a short one too is about something.
const OPENING: readonly string[] = ['Walk 5 minutes.', 'Walk 7 minutes.'];

/** Lives through a trace in one of its worlds, asks everything at the end, and gives what was received. */
export async function transcriptOf(
  view: View,
  { early, moments, salt }: Trace,
  which: Which,
  openEngine: OpenEngine,
  plant: Plant | null,
): Promise<Transcript> {
  const world = await startWorld(openEngine, plant);
  try {
    const scene = await setScene(world, view);
    for (const value of OPENING) {
      for (const uri of view.seen.slice(0, 3))
        await publish(scene, { do: 'write', uri, value, review: 1000 });
    }
    if (early) await everyoneListens(scene, salt);
    for (const moment of moments) {
      for (const hidden of moment[which]) await conceal(scene, hidden);
      await live(scene, moment.step);
    }
    await everyoneListens(scene, salt + 1);
    await askEverything(scene, salt);
    scene.note('the streams, ended', '');
    await world.context.endpoint.closeAll();
    await takeNews(scene);
    if (world.faults.length > 0) throw new AggregateError(world.faults, 'the server reported a fault');
    const failure = scene.transcript.find((bytes) => /HTTP\/1\.1 50\d|"code":-32603/.test(bytes));
    if (failure !== undefined) throw new Error(`the server failed: ${failure}`);
    return scene.transcript;
  } finally {
    await world.close();
  }
}

interface Scene {
  readonly world: World;
  readonly view: View;
  readonly observers: readonly Asker[];
  readonly outsiders: readonly Asker[];
  readonly system: Asker;
  readonly transcript: string[];
  note(what: string, bytes: string): void;
}

async function setScene(world: World, view: View): Promise<Scene> {
  const asker = async ({ grant }: Person): Promise<Asker> => {
    const token = grant === null ? null : await world.mint(grant);
    return {
      world,
      token,
      kept: { session: null, listCursor: null, changesCursor: null, lastEvent: null },
      streams: [],
    };
  };
  const writer = {
    sub: 'system writer',
    clientId: 'system',
    scopes: ['care.read.user', 'care.read.assistant', 'care.write'],
    subjects: ['*'],
    ttlSeconds: 31_536_000,
  };
  const transcript: string[] = [];
  return {
    world,
    view,
    observers: await Promise.all(view.observers.map(asker)),
    outsiders: await Promise.all(view.outsiders.map(asker)),
    system: await asker({ name: writer.sub, grant: writer }),
    transcript,
    note: (what, bytes) => transcript.push(`${what}\n${bytes}`),
  };
}

async function live(scene: Scene, step: Step): Promise<void> {
  const { world, observers, view } = scene;
  if (step.do === 'write') await publish(scene, step);
  if (step.do === 'wait') world.advance(step.seconds);
  if (step.do === 'ask') {
    const asker = at(observers, step.who);
    scene.note(
      `${at(view.observers, step.who).name}: ${step.what} ${step.uri}, ${step.era}`,
      await ask(asker, step),
    );
  }
  if (step.do === 'listen') {
    const answers = await listen(at(observers, step.who), step);
    scene.note(`${at(view.observers, step.who).name}: listen, ${step.era}`, answers);
  }
  if (step.do === 'leave') await at(observers, step.who).streams.pop()?.leave();
  await takeNews(scene);
}

async function conceal(scene: Scene, hidden: Hidden): Promise<void> {
  const { world, outsiders } = scene;
  if (hidden.do === 'write') await publish(scene, hidden);
  if (hidden.do === 'ask') await ask(at(outsiders, hidden.who), hidden);
  if (hidden.do === 'listen') await listen(at(outsiders, hidden.who), hidden);
  const revoked = hidden.do === 'revoke' ? at(outsiders, hidden.who).token : null;
  if (revoked !== null) await world.revoke(revoked);
  await takeNews(scene);
}

async function publish({ system, world }: Scene, write: Write): Promise<void> {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${system.token}` };
  const body = JSON.stringify({ uri: write.uri, authorId: 'system', ...wordsOf(write) });
  await world.wire.request({ method: 'POST', path: '/write', headers, body });
  await world.delivered();
}

function wordsOf({ value, review, clip }: Write): Readonly<Record<string, unknown>> {
  if (value === null) return { withdraw: true };
  const base64 = Buffer.from(clip ?? '').toString('base64');
  return {
    value,
    ...(review !== null && { staleAfter: new Date(START + review * 1000).toISOString() }),
    ...(clip !== undefined && { blob: { mediaType: 'audio/wav', base64 } }),
  };
}

async function ask(asker: Asker, { what, era, uri }: Ask): Promise<string> {
  const question = QUESTIONS.find(({ name }) => name === what);
  if (question === undefined) throw new Error(`nobody knows how to ask: ${what}`);
  const answer = await question.ask(asker, era, uri);
  await asker.world.delivered();
  return answer;
}

/** Opens a stream. In the legacy era subscriptions are answered one by one; the answers are given. */
async function listen(asker: Asker, { era, uris, list, log }: Listen): Promise<string> {
  if (era === 'modern') {
    const notifications = { resourceSubscriptions: uris, resourcesListChanged: list };
    const id = `stream ${asker.streams.length}`;
    const meta = log ? LOGGING : {};
    await openStream(asker, mcpRequest(asker, era, 'subscriptions/listen', { notifications }, { id, meta }));
    await openStream(asker, eventStream(asker, list ? null : uris));
    return '';
  }
  let answers = '';
  for (const uri of uris) answers += await call(asker, era, 'resources/subscribe', { uri });
  if (list) answers += await call(asker, era, 'resources/list', {});
  if (log) answers += await call(asker, era, 'logging/setLevel', { level: 'notice' });
  if (asker.kept.session !== null) await openStream(asker, sessionStream(asker));
  return answers;
}

/** Writes down what came over open streams. Outsiders' frames are nobody's business. */
async function takeNews(scene: Scene): Promise<void> {
  await scene.world.delivered();
  for (const [who, asker] of scene.observers.entries()) {
    for (const [index, stream] of asker.streams.entries()) {
      const news = await stream.news();
      asker.kept.lastEvent = [...news.matchAll(/(?:^|\n)id: (\S+)\n/g)].at(-1)?.[1] ?? asker.kept.lastEvent;
      const cursor = eventsCursorOf(news);
      if (cursor !== undefined) asker.kept.eventsCursor = cursor;
      if (news !== '') scene.note(`${at(scene.view.observers, who).name}: frames of stream ${index}`, news);
    }
  }
}

/** Has every observer listen, to the list and to every URI there is. */
async function everyoneListens(scene: Scene, salt: number): Promise<void> {
  const uris = urisOf(scene);
  for (const who of scene.observers.keys()) {
    await live(scene, { do: 'listen', who, era: eraOf(salt, who), uris, list: true, log: true });
  }
}

/**
 * Has every observer ask everything: first what changes nothing, then what may. What is asked about a URI is
 * asked about one in four of all there are; `salt` says which ones, and in which era.
 */
async function askEverything(scene: Scene, salt: number): Promise<void> {
  const uris = urisOf(scene);
  for (const changing of [false, true]) {
    for (const who of scene.observers.keys()) {
      for (const [index, { name, about, writes = false }] of QUESTIONS.entries()) {
        if (writes !== changing) continue;
        const asked = uris.filter((_uri, place) => (place + index + (salt >> 1)) % 4 === 0);
        for (const uri of about === 'uri' ? asked : ['']) {
          await live(scene, { do: 'ask', who, era: eraOf(salt, who), what: name, uri });
        }
      }
    }
  }
}

function urisOf({ view }: Scene): readonly string[] {
  return [...view.seen, ...view.hidden, ...NOWHERE];
}

function eraOf(salt: number, who: number): Era {
  return (salt + who) % 2 === 0 ? 'modern' : 'legacy';
}

function at<T>(all: readonly T[], index: number): T {
  const found = all[index];
  if (found === undefined) throw new Error(`a trace names number ${index} of ${all.length}`);
  return found;
}
