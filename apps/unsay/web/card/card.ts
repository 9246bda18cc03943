import { runDevice } from '../device/run-device.ts';
import { pairingOf } from '../live/pairing.ts';
import type { Opened, OpenSession } from '../live/session.ts';
import { browserScheduler } from '../page/scheduler.ts';
import { connectHost, type Host } from './host-bridge.ts';
import { networkAsk } from './network-ask.ts';
import { type PolledSession, polledSession } from './polled-session.ts';
import { StandingView } from './standing-view.ts';

const LONGEST_ANSWER_MS = 10_000;

// One file: shown by a host it asks through the host, opened by itself it asks its own server.
const isFramed = window.parent !== window;
if (isFramed) await inHost();
else await asPage();

async function inHost(): Promise<void> {
  let session: PolledSession | null = null;
  let connected: Promise<Host> | null = null;
  let stop = (): void => {};

  async function hostOf(): Promise<Host> {
    const host = await connectHost(window, browserScheduler, {
      toolResult: () => session?.askNow(),
      teardown: () => stop(),
    });
    new ResizeObserver(() => host.resized(heightOf(document.body))).observe(document.body);
    return host;
  }

  const open: OpenSession = async (_token, announcements) => {
    try {
      connected ??= hostOf();
      const { ask } = await connected;
      session = polledSession({ ask, announcements, scheduler: browserScheduler });
      return { kind: 'open', session };
    } catch (error) {
      connected = null;
      return unreachable(error);
    }
  };
  // The host has the token, and the card never sees it.
  const pairing = { access: async () => ({ kind: 'token', token: '' }) as const, forget: () => false };
  const device = await runDevice({ open, pairing, standingOf: (retry) => new StandingView(true, retry) });
  stop = device.stop;
}

async function asPage(): Promise<void> {
  const pairing = pairingOf('unsay.device.token');
  const send: typeof fetch = (input, init) =>
    fetch(input, { ...init, signal: AbortSignal.timeout(LONGEST_ANSWER_MS) });
  const open: OpenSession = async (token, announcements) => {
    const { ask, ...network } = networkAsk(token, send, () => Date.now());
    try {
      await ask('server/discover', {});
    } catch (error) {
      return network.unauthorised() ? { kind: 'unauthorised' } : unreachable(error);
    }
    const session = polledSession({ ask, announcements, scheduler: browserScheduler, ...network });
    return { kind: 'open', session };
  };
  await runDevice({ open, pairing, standingOf: (retry) => new StandingView(false, retry) });
}

function heightOf(element: HTMLElement): number {
  return Math.ceil(element.getBoundingClientRect().height);
}

function unreachable(error: unknown): Opened {
  return { kind: 'unreachable', reason: error instanceof Error ? error.message : String(error) };
}
