import { Connection, type ConnectionState } from '../live/connection.ts';
import { type Fact, maySpeak, type ReadAnswer } from '../live/fact.ts';
import { FactReader, type ReaderEvents } from '../live/fact-reader.ts';
import type { TokenSource } from '../live/pairing.ts';
import type { OpenSession, Session } from '../live/session.ts';
import { browserScheduler, every } from './scheduler.ts';

/** Ages and review dates move without an announcement, so everything is read again this often. */
const REREAD_MS = 60_000;

interface Options {
  readonly open: OpenSession;
  readonly pairing: TokenSource;
  readonly follows: (uri: string) => boolean;
  readonly events: ReaderEvents & {
    state(state: ConnectionState): void;
    /** The session has ended; called before the state leaves `live`. */
    detached(): void;
  };
}

/** A page's facts, kept current for as long as the server and the token allow. */
export interface FollowedFacts {
  readonly reader: FactReader;
  readonly connection: Connection;
  /** The server's clock, in milliseconds since the epoch. */
  serverNow(): number;
  /** Reads one version of a fact. */
  readVersion(uri: string, version: number): Promise<ReadAnswer>;
  /** What the server says takes `version` back for the current head; null where it says nothing. */
  retractionFrom(uri: string, version: number): Promise<string | null>;
}

/** Connects a page. Nothing happens before `connection.start()`. */
export function followFacts({ open, pairing, follows, events }: Options): FollowedFacts {
  const reader = new FactReader({ events, scheduler: browserScheduler, chance: Math.random });
  let session: Session | null = null;
  const connection = new Connection({
    access: () => pairing.access(),
    forget: () => pairing.forget(),
    isDue: () => pairing.isDue ?? false,
    open,
    follows,
    scheduler: browserScheduler,
    chance: Math.random,
    events: {
      state(state) {
        if (state.status === 'unpaired') reader.keep([]);
        events.state(state);
      },
      async attached(opened, uris) {
        session = opened;
        reader.attach((uri) => readAudienceOf(opened, uri));
        reader.keep(uris);
        await readAll(reader, uris);
      },
      async listed(uris) {
        reader.keep(uris);
        await readAll(reader, uris);
      },
      updated: (uri) => reader.announce(uri),
      detached() {
        session = null;
        reader.detach();
        events.detached();
      },
    },
  });
  every(browserScheduler, REREAD_MS, () => {
    if (connection.state.status === 'live') void readAll(reader, urisOf(reader.facts()));
  });
  addEventListener('online', () => connection.retryNow());
  async function readVersion(uri: string, version: number): Promise<ReadAnswer> {
    if (session === null) return { kind: 'failed', reason: 'this page is not connected' };
    return session.read(`${uri}/v${version}`);
  }
  return {
    reader,
    connection,
    serverNow: () => browserScheduler.now() + (session?.clockAhead() ?? 0),
    readVersion,
    async retractionFrom(uri, version) {
      const answer = await readVersion(uri, version);
      return answer.kind === 'found' ? answer.fact.retraction : null;
    },
  };
}

/** What is called speakable by its URI must be so by the stored fact too; anything else is no fact of this page. */
async function readAudienceOf(session: Session, uri: string): Promise<ReadAnswer> {
  const answer = await session.read(uri);
  const speakable = answer.kind === 'found' && answer.fact.audience === 'user';
  return answer.kind === 'found' && speakable !== maySpeak(uri) ? { kind: 'absent' } : answer;
}

async function readAll(reader: FactReader, uris: readonly string[]): Promise<void> {
  await Promise.all(uris.map((uri) => reader.refresh(uri)));
}

function urisOf(facts: readonly Fact[]): readonly string[] {
  return facts.map(({ uri }) => uri);
}
