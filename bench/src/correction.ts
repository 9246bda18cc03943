import { createHmac } from 'node:crypto';
import type { Answer, Connection } from './connection.ts';
import type { EventStream } from './event-stream.ts';
import type { Measured } from './rounds.ts';

/** Milliseconds in which a correction still reaches a device inside its sentence: twelve words, about 150 a minute. */
export const SPEECH_WINDOW_MS = 3400;

/** A correction that is not held after so long has failed; until then it is late, and timed to its end. */
const GIVE_UP_MS = 10 * SPEECH_WINDOW_MS;

/** A client that subscribed to one fact, and a writer of that fact, each on connections of its own. */
export interface Subscriber {
  readonly uri: string;
  readonly writer: Connection;
  readonly secret: string;
  readonly stream: EventStream;
  /** What the server answered to the fact's first version. */
  readonly created: Answer;
  /** Reads the fact again. */
  read(): Promise<Answer>;
  close(): void;
}

/** Corrections of a subscriber's fact, one after the other, each with new words. */
export function corrections(name: string, subscriber: Subscriber): Measured {
  let count = 0;
  return {
    names: [name],
    async once() {
      count += 1;
      return [await correct(subscriber, wordsOf(count))];
    },
  };
}

/** Publishes a value, and gives back how many milliseconds later the subscribed client held it. */
async function correct(subscriber: Subscriber, value: string): Promise<number> {
  const { writer, uri, secret, stream } = subscriber;
  const body = JSON.stringify({ uri, value, authorId: 'bench', authorLabel: 'the benchmark' });
  const headers = signatureOf(body, secret);

  async function held(): Promise<number> {
    do await stream.next((message) => announces(message, uri));
    while (wordsIn(await subscriber.read()) !== value);
    return performance.now() - begun;
  }

  const begun = performance.now();
  const answered = writer.send({ path: '/write', headers, body }).then(accepted);
  const holding = held();
  const took = await withinLimit(Promise.race([holding, answered.then(() => holding)]));
  // The next correction begins when this one is over for everybody.
  await answered;
  return took;
}

/** Publishes a first version, which nobody is told of as a correction. */
export async function create(writer: Connection, uri: string, secret: string): Promise<Answer> {
  const body = JSON.stringify({ uri, value: wordsOf(0), authorId: 'bench', authorLabel: 'the benchmark' });
  return accepted(await writer.send({ path: '/write', headers: signatureOf(body, secret), body }));
}

/** Words of one length, of the kind that the demonstration plan says, and never twice the same in a run. */
function wordsOf(count: number): string {
  const number = String(count).padStart(6, '0');
  return `Partial weight-bearing: put no more than ${20 + (count % 10)} kilograms on your left leg, and use both crutches for every step (${number}).`;
}

interface ReadResult {
  readonly result?: { readonly contents?: readonly { readonly _meta?: Readonly<Record<string, unknown>> }[] };
}

function wordsIn({ status, text }: Answer): string {
  const words = (JSON.parse(text) as ReadResult).result?.contents?.[0]?._meta?.['unsay/value'];
  if (typeof words !== 'string') throw new Error(`a read found no words: ${status} ${text}`);
  return words;
}

function signatureOf(body: string, secret: string): Record<string, string> {
  const timestamp = String(Math.floor(Date.now() / 1000));
  const mac = createHmac('sha256', secret).update(`${timestamp}..${body}`).digest('hex');
  return {
    'content-type': 'application/json',
    'x-unsay-timestamp': timestamp,
    'x-unsay-signature': `v1=${mac}`,
  };
}

function accepted(answer: Answer): Answer {
  if (answer.status === 201) return answer;
  throw new Error(`a write was refused: ${answer.status} ${answer.text}`);
}

function announces(message: unknown, uri: string): boolean {
  if (typeof message !== 'object' || message === null) return false;
  const { method, params } = message as { method?: unknown; params?: { uri?: unknown } };
  return method === 'notifications/resources/updated' && params?.uri === uri;
}

async function withinLimit<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const message = `a correction was not held after ${GIVE_UP_MS / 1000} s`;
    timer = setTimeout(() => reject(new Error(message)), GIVE_UP_MS);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
