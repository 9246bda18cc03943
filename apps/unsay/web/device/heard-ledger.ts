/**
 * Which version of each fact a person last heard, even in part, in this page's life; and for which heads they
 * asked for silence. A fact whose head is newer than what was heard is owed a retraction.
 */
export class HeardLedger {
  readonly #heard = new Map<string, number>();
  readonly #waived = new Map<string, number>();

  /** The version last heard, or null for a fact that was never said. */
  version(uri: string): number | null {
    return this.#heard.get(uri) ?? null;
  }

  uris(): readonly string[] {
    return [...this.#heard.keys()];
  }

  hear(uri: string, version: number): void {
    this.#heard.set(uri, Math.max(version, this.#heard.get(uri) ?? 0));
  }

  /** Nothing is owed for this head: it was stopped by the person, or no sentence for it can be had. */
  waive(uri: string, head: number): void {
    this.#waived.set(uri, head);
  }

  /** The person asks for this fact again, so what is owed on it is owed again. */
  claim(uri: string): void {
    this.#waived.delete(uri);
  }

  owes(uri: string, head: number): boolean {
    const heard = this.#heard.get(uri);
    return heard !== undefined && heard < head && (this.#waived.get(uri) ?? 0) < head;
  }
}
