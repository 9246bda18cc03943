import { connect, ERAS, type EraClient } from '../harness/era-client.ts';
import { type RunningServer, startServer } from '../harness/running-server.ts';
import { type SignedWrite, send, signed, writeBody } from '../harness/signed-write.ts';
import { DoesNotHold, holds } from './story.ts';

/** The fact that the story is about, and what it comes to say. */
export const FACT = 'care://ray/weight_bearing';
export const CORRECTED =
  'Partial weight-bearing: put no more than 15 kilograms on your left leg, and use both crutches for every step.';

const PHYSIOTHERAPIST = { authorId: 'demo-physiotherapist', authorLabel: 'Nadia Osei, physiotherapist' };

/** What the server answered to a write. */
export interface Written {
  readonly status: number;
  readonly words: string;
  readonly body: Readonly<Record<string, unknown>>;
}

/** A client of one era, and the token that it came with. */
export interface Device {
  readonly client: EraClient;
  readonly token: string;
}

/** Everyone in the story: one server, and a client of each era that may read what is spoken to Ray. */
export class World {
  readonly #data: string;
  #devices: readonly Device[] = [];
  #server: RunningServer | undefined;
  #starting: Promise<RunningServer> | undefined;
  /** The cursor that a host was last given. */
  cursor: string | null = null;
  /** The correction that was published, as it was sent. */
  correction: SignedWrite | null = null;

  constructor(data: string) {
    this.#data = data;
  }

  get server(): RunningServer {
    if (this.#server === undefined) throw new DoesNotHold('there is no server');
    return this.#server;
  }

  /** The clients, the modern one first. */
  get devices(): readonly Device[] {
    if (this.#devices.length === 0) throw new DoesNotHold('the clients did not connect');
    return this.#devices;
  }

  /** Starts the server, on whatever the folder holds. */
  async start(): Promise<RunningServer> {
    this.#starting = startServer(this.#data);
    this.#server = await this.#starting;
    return this.#server;
  }

  async connectDevices(): Promise<void> {
    const { server } = this;
    this.#devices = await Promise.all(
      ERAS.map(async (era) => {
        const token = await server.mint('care.read.user', { sub: `${era}-speaker` });
        return { client: await connect(era, server.url, token), token };
      }),
    );
  }

  /** A correction of the fact as the physiotherapist's system sends it. */
  sign(value: string): SignedWrite {
    return signed(writeBody(FACT, value, PHYSIOTHERAPIST));
  }

  async write(write: SignedWrite): Promise<Written> {
    const response = await send(this.server.url, write);
    const words = await response.text();
    return { status: response.status, words, body: JSON.parse(words) };
  }

  /** Ends everything that still runs. */
  async end(): Promise<void> {
    await Promise.allSettled(this.#devices.map(({ client }) => client.close()));
    // Also one that is still on its way: it would outlive this process.
    await this.#starting?.then(
      (server) => server.stop(),
      () => {},
    );
  }
}

/** A fact as a read gives it. */
export interface Fact {
  readonly text: string;
  readonly meta: Readonly<Record<string, unknown>>;
}

/** Reads a fact. */
export async function readFact(client: EraClient, uri: string): Promise<Fact> {
  const { contents } = (await client.call('resources/read', { uri })) as {
    readonly contents: readonly { readonly text: string; readonly _meta: Fact['meta'] }[];
  };
  holds(contents[0] !== undefined, `${uri} has no contents`);
  const { text, _meta: meta } = contents[0];
  return { text, meta };
}
