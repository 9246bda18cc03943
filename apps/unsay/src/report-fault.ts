/** Tells the operator of an exception that a caller was only told of as a fault. */
export function reportFault(error: unknown): void {
  process.stderr.write(`fault: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
}
