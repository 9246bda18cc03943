/** Clears up at Ctrl-C before the process ends: servers of the harness are in groups of their own and do not get it. */
export function onInterrupt(clear: () => Promise<unknown>): void {
  process.once('SIGINT', () => {
    void clear().finally(() => process.exit(130));
  });
}
