import { maySpeak } from '../live/fact.ts';
import { mcpSessions } from '../live/mcp-session.ts';
import { pairingOf } from '../live/pairing.ts';
import { byId, element, setText } from '../page/element.ts';
import { browserScheduler } from '../page/scheduler.ts';

const AGAIN_MS = 10_000;
const pairing = pairingOf('unsay.landing.token');

setText(byId('mcp-address'), `${location.origin}/mcp`);

async function serverIsUp(): Promise<boolean> {
  try {
    return (await fetch('/healthz', { cache: 'no-store', signal: AbortSignal.timeout(5_000) })).ok;
  } catch {
    return false;
  }
}

/** How many speakable facts the server lists now, or null where this page may not ask. */
async function countFacts(): Promise<number | null> {
  const access = await pairing.access();
  if (access.kind !== 'token') return null;
  const opened = await mcpSessions('unsay-landing')(access.token, {
    updated: () => {},
    listChanged: () => {},
  });
  if (opened.kind === 'unauthorised') pairing.forget();
  if (opened.kind !== 'open') return null;
  try {
    return (await opened.session.list()).filter(maySpeak).length;
  } catch {
    if (opened.session.unauthorised()) pairing.forget();
    return null;
  } finally {
    opened.session.close();
  }
}

async function look(): Promise<void> {
  const up = await serverIsUp();
  const count = up ? await countFacts() : null;
  document.body.dataset.connection = up ? 'live' : 'offline';
  setText(byId('connection-label'), up ? 'Server is up' : 'No server');
  byId('server-notice').hidden = up;
  byId('server-notice').replaceChildren(
    ...(up
      ? []
      : [element('p', {}, `No server is answering at ${location.origin}. Start it with npm start.`)]),
  );
  byId('proof').hidden = count === null;
  setText(
    byId('proof'),
    count === null ? '' : `Just read from this server: ${count} facts that may be spoken.`,
  );
  if (count !== null) byId('proof').dataset.count = String(count);
  browserScheduler.after(AGAIN_MS, () => void look());
}

await look();
