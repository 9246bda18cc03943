import type { Scheduler } from '../page/scheduler.ts';
import { type Ask, AskError } from './ask.ts';

/** The revision of the MCP Apps extension (SEP-1865) that the card speaks. */
const REVISION = '2026-01-26';
const PATIENCE_MS = 10_000;

interface Waiting {
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

/** A host that shows the card, as the card sees it. */
export interface Host {
  /** Asks the server through the host, with the host's rights. */
  readonly ask: Ask;
  /** Tells the host how high the card is, in pixels. */
  resized(height: number): void;
}

/** What a host tells the card of by itself. */
export interface HostEvents {
  /** A tool was called for the card or beside it: something may have changed. Its words are not looked at. */
  toolResult(): void;
  /** The card is about to be taken away. */
  teardown(): void;
}

type Listener = (event: { readonly data: unknown; readonly source: unknown }) => void;

/** The part of a window that the bridge needs. */
export interface BridgeWindow {
  readonly parent: { postMessage(message: unknown, targetOrigin: string): void };
  addEventListener(type: 'message', listener: Listener): void;
  removeEventListener(type: 'message', listener: Listener): void;
}

/**
 * Opens the extension's bridge to the window around this one (SEP-1865, "Communication Protocol"): JSON-RPC over
 * `postMessage`. Resolves when the host has answered `ui/initialize`. A sandbox has no origin to name, so messages go
 * to any; they hold URIs and cursors, and only the window around the card is listened to.
 */
export async function connectHost(
  view: BridgeWindow,
  scheduler: Scheduler,
  events: HostEvents,
): Promise<Host> {
  const waiting = new Map<number, Waiting>();
  let lastId = 0;

  const post = (message: object): void => view.parent.postMessage({ jsonrpc: '2.0', ...message }, '*');

  const ask: Ask = (method, params) =>
    new Promise((resolve, reject) => {
      lastId += 1;
      const id = lastId;
      const forget = (): void => {
        waiting.delete(id);
        cancel();
      };
      const cancel = scheduler.after(PATIENCE_MS, () => {
        forget();
        reject(new AskError(null, 'the host did not answer'));
      });
      waiting.set(id, {
        resolve(result) {
          forget();
          resolve(result);
        },
        reject(error) {
          forget();
          reject(error);
        },
      });
      post({ id, method, params });
    });

  const listener: Listener = ({ data, source }) => {
    if (source !== view.parent || !isRecord(data) || data.jsonrpc !== '2.0') return;
    if (typeof data.method === 'string') heard(data.method, data);
    else settle(waiting.get(Number(data.id)), data);
  };

  function heard(method: string, message: Record<string, unknown>): void {
    if (message.id !== undefined) answer(method, message.id);
    else if (method === 'ui/notifications/tool-result') events.toolResult();
  }

  function answer(method: string, id: unknown): void {
    if (method === 'ui/resource-teardown') events.teardown();
    const known = method === 'ui/resource-teardown' || method === 'ping';
    post(known ? { id, result: {} } : { id, error: { code: -32601, message: 'Method not found' } });
  }

  view.addEventListener('message', listener);
  try {
    await ask('ui/initialize', {
      protocolVersion: REVISION,
      appInfo: { name: 'unsay-device-card', version: '0.1.0' },
      appCapabilities: {},
    });
  } catch (error) {
    view.removeEventListener('message', listener);
    throw error;
  }
  post({ method: 'ui/notifications/initialized', params: {} });
  return {
    ask,
    resized: (height) => post({ method: 'ui/notifications/size-changed', params: { height } }),
  };
}

function settle(asked: Waiting | undefined, message: Record<string, unknown>): void {
  if (asked === undefined) return;
  const { error, result } = message;
  if (isRecord(error)) asked.reject(new AskError(Number(error.code), String(error.message)));
  else asked.resolve(result);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
