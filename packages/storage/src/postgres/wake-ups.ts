import type { PostgresDatabase } from './database.ts';
import type { PostgresConnection } from './driver.ts';

/** How processes that share a database wake each other. */
export interface WakeUps {
  /**
   * Says that something was written. It goes out at once, and after that not before the next few milliseconds are over,
   * however often this is called; never within a transaction, where it would make the writers of all processes wait for
   * each other once more.
   */
  announce(): void;
  close(): void;
}

/** What wakes, and how often. */
export interface WakeUpParts {
  /** Looks for what is new. Called for what others say, when something may have been missed, and every so often. */
  readonly wake: () => void;
  /** How long a notification that was lost may delay what it told of, in milliseconds. */
  readonly pollMs?: number;
  /** How far apart announcements are, in milliseconds. */
  readonly groupMs?: number;
}

const CHANNEL = 'unsay_written';
const POLL_MS = 1000;
const GROUP_MS = 5;
const RETRY_MS = 200;

/**
 * Listens to what other processes announce. A connection of the pool is kept for it; when that is lost another one is
 * made, and what was said meanwhile is looked for. Resolves when it listens.
 */
export async function openWakeUps(
  db: PostgresDatabase,
  { wake, pollMs = POLL_MS, groupMs = GROUP_MS }: WakeUpParts,
): Promise<WakeUps> {
  let isClosed = false;
  let listening: PostgresConnection | null = null;
  let [isResting, isDue] = [false, false];

  async function listen(): Promise<void> {
    const connection = await db.connect();
    connection.on('notification', () => {
      if (!isClosed) wake();
    });
    connection.on('end', () => {
      if (listening !== connection) return;
      listening = null;
      connection.release(true);
      if (!isClosed) listenAgain();
    });
    try {
      await connection.query({ text: `LISTEN ${CHANNEL}` });
    } catch (error) {
      connection.release(true);
      throw error;
    }
    if (isClosed) connection.release(true);
    else listening = connection;
  }

  function listenAgain(): void {
    listen().then(wake, () => {
      if (!isClosed) setTimeout(listenAgain, RETRY_MS).unref();
    });
  }

  function announce(): void {
    isDue = true;
    if (isResting || isClosed) return;
    [isResting, isDue] = [true, false];
    // One that is lost costs those who wait for it one poll.
    db.select('SELECT pg_notify(:channel, :said)', { channel: CHANNEL, said: '' }).catch(() => undefined);
    setTimeout(() => {
      isResting = false;
      if (isDue) announce();
    }, groupMs).unref();
  }

  await listen();
  const poll = setInterval(wake, pollMs);
  poll.unref();
  return {
    announce,
    close() {
      isClosed = true;
      clearInterval(poll);
      const connection = listening;
      listening = null;
      // Closed, not given back: it would go on listening for whoever gets it next.
      connection?.release(true);
    },
  };
}
