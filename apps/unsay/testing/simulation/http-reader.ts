/** The head of an answer. Header names are in lower case. */
export interface AnswerHead {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
}

/** Reads one HTTP/1.1 answer as its bytes come. Bytes are spelled in latin1, one letter each. */
export class HttpReader {
  #unread = '';
  #head: AnswerHead | null = null;
  #left = 0;
  #chunked = false;
  #complete = false;

  get head(): AnswerHead | null {
    return this.#head;
  }

  /** Whether the answer was read to the end that it announced itself. */
  get complete(): boolean {
    return this.#complete;
  }

  /** Takes bytes and gives what of the body they completed. */
  read(bytes: string): string {
    this.#unread += bytes;
    if (this.#head === null && !this.#readHead()) return '';
    return this.#chunked ? this.#readChunks() : this.#readCounted();
  }

  #readHead(): boolean {
    const end = this.#unread.indexOf('\r\n\r\n');
    if (end === -1) return false;
    const [status = '', ...lines] = this.#unread.slice(0, end).split('\r\n');
    const headers = new Map<string, string>();
    for (const line of lines) {
      const colon = line.indexOf(':');
      headers.set(line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim());
    }
    this.#unread = this.#unread.slice(end + 4);
    this.#head = { status: Number(status.split(' ')[1]), headers };
    this.#chunked = headers.get('transfer-encoding') === 'chunked';
    this.#left = Number(headers.get('content-length') ?? 0);
    this.#complete = !this.#chunked && this.#left === 0;
    return true;
  }

  #readCounted(): string {
    const body = this.#unread.slice(0, this.#left);
    this.#unread = this.#unread.slice(body.length);
    this.#left -= body.length;
    this.#complete = this.#left === 0;
    return body;
  }

  #readChunks(): string {
    let body = '';
    for (;;) {
      const line = /^([0-9a-f]+)\r\n/i.exec(this.#unread);
      if (line === null) return body;
      const size = Number.parseInt(line[1] ?? '', 16);
      const start = line[0].length;
      if (this.#unread.length < start + size + 2) return body;
      body += this.#unread.slice(start, start + size);
      this.#unread = this.#unread.slice(start + size + 2);
      if (size === 0) {
        this.#complete = true;
        return body;
      }
    }
  }
}
