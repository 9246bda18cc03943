import type { EventEmitter } from 'node:events';

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/**
 * Resolves at the first signal to stop. One that comes after `later` has run its callback calls `atOnce`: whoever
 * asks again has waited long enough. Those before it are the same one, since npm passes on a Ctrl-C that the
 * terminal has sent to everyone already.
 */
export function stopSignal(
  signals: Pick<EventEmitter, 'on'>,
  later: (run: () => void) => void,
  atOnce: () => void,
): Promise<void> {
  return new Promise((resolve) => {
    let state: 'running' | 'stopping' | 'impatient' = 'running';
    for (const signal of SIGNALS) {
      signals.on(signal, () => {
        if (state === 'impatient') atOnce();
        if (state !== 'running') return;
        state = 'stopping';
        later(() => {
          state = 'impatient';
        });
        resolve();
      });
    }
  });
}
