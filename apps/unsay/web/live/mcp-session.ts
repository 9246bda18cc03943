import '../page/quiet-schemas.ts';
import {
  Client,
  type McpSubscription,
  ProtocolError,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';
import { parseFact, type ReadAnswer } from './fact.ts';
import type { Announcements, Opened, OpenSession, Session } from './session.ts';
import { SignOfLife } from './sign-of-life.ts';

const MODERN = '2026-07-28';
const INVALID_PARAMS = -32602;
const WAIT = { timeout: 10_000 } as const;
/** What was read must never come out of a cache: the page says it aloud. */
const FRESH = { ...WAIT, cacheMode: 'bypass' } as const;

/** Opens MCP sessions on this origin's `/mcp`, in the modern era and no other. */
export function mcpSessions(name: string): OpenSession {
  return async (token, announcements) => {
    const life = new SignOfLife(
      (input, init) => fetch(input, init),
      () => Date.now(),
    );
    const client = new Client(
      { name, version: '0.1.0' },
      { versionNegotiation: { mode: { pin: MODERN }, probe: { timeoutMs: WAIT.timeout } } },
    );
    announceTo(client, announcements);
    const transport = new StreamableHTTPClientTransport(new URL('/mcp', location.origin), {
      fetch: life.fetch,
      requestInit: { headers: { authorization: `Bearer ${token}` } },
    });
    try {
      await client.connect(transport, WAIT);
    } catch (error) {
      void client.close();
      return failure(life, error);
    }
    return { kind: 'open', session: sessionOf(client, life) };
  };
}

function failure(life: SignOfLife, error: unknown): Opened {
  if (life.unauthorised) return { kind: 'unauthorised' };
  if (life.unanswered) return { kind: 'unreachable', reason: 'the server did not answer' };
  return { kind: 'unreachable', reason: error instanceof Error ? error.message : String(error) };
}

function announceTo(client: Client, announcements: Announcements): void {
  client.setNotificationHandler('notifications/resources/updated', ({ params }) =>
    announcements.updated(params.uri),
  );
  client.setNotificationHandler('notifications/resources/list_changed', () => announcements.listChanged());
}

function sessionOf(client: Client, life: SignOfLife): Session {
  let stream: McpSubscription | null = null;
  let drop: () => void = () => {};
  const dropped = new Promise<void>((resolve) => {
    drop = resolve;
  });
  return {
    dropped,
    list: async () => (await client.listResources(undefined, FRESH)).resources.map(({ uri }) => uri),
    read: (uri) => readOf(client, uri),
    async listen(uris) {
      const earlier = stream;
      const opened = await client.listen(
        { resourceSubscriptions: [...uris], resourcesListChanged: true },
        WAIT,
      );
      stream = opened;
      void opened.closed.then((cause) => {
        if (cause !== 'local') drop();
      });
      await earlier?.close();
      return opened.honoredFilter.resourceSubscriptions ?? [];
    },
    lastSign: () => life.last,
    clockAhead: () => life.clockAhead,
    unauthorised: () => life.unauthorised,
    close: () => void client.close(),
  };
}

async function readOf(client: Client, uri: string): Promise<ReadAnswer> {
  try {
    const { contents } = await client.readResource({ uri }, FRESH);
    const fact = parseFact(contents);
    return fact === null ? { kind: 'failed', reason: 'the answer is not a fact' } : { kind: 'found', fact };
  } catch (error) {
    if (error instanceof ProtocolError && error.code === INVALID_PARAMS) return { kind: 'absent' };
    return { kind: 'failed', reason: error instanceof Error ? error.message : String(error) };
  }
}
