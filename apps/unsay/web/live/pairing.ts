import type { Begin, CodeFlow } from './code-flow.ts';
import { type Problem, readProblem } from './problem.ts';

/** The part of session storage a page keeps its token in. */
export interface TokenStorage {
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
  removeItem(key: string): void;
}

/** The one-time code in an address fragment: `#<code>` or `#code=<code>`; null when there is none. */
export function codeInFragment(fragment: string): string | null {
  const text = fragment.replace(/^#/, '');
  const code = text.startsWith('code=') ? text.slice('code='.length) : text;
  return /^[A-Za-z0-9_-]{8,128}$/.test(code) ? code : null;
}

/** What redeeming a code gave. */
export type Redeemed =
  | { readonly kind: 'token'; readonly token: string }
  | { readonly kind: 'refused'; readonly problem: Problem }
  | { readonly kind: 'unreachable' };

/** Redeems a one-time code at `POST /pair`. */
export async function redeem(code: string, send: typeof fetch): Promise<Redeemed> {
  try {
    const response = await send('/pair', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ code }),
    });
    if (!response.ok) return { kind: 'refused', problem: await readProblem(response) };
    const body: unknown = await response.json();
    const token: unknown =
      typeof body === 'object' && body !== null ? Reflect.get(body, 'access_token') : null;
    return typeof token === 'string' ? { kind: 'token', token } : { kind: 'unreachable' };
  } catch {
    return { kind: 'unreachable' };
  }
}

/** Where a page's right to read stands. */
export type Access =
  | { readonly kind: 'token'; readonly token: string }
  /** No code and no token, or the server refused it. `problem` is null where none was tried. */
  | { readonly kind: 'unpaired'; readonly problem: Problem | null }
  | { readonly kind: 'unreachable' };

/** A page's token: from its one-time code or a sign-in at first, from this tab's storage after a reload. */
export class Pairing {
  readonly #storage: TokenStorage;
  readonly #key: string;
  readonly #send: typeof fetch;
  readonly #flow: CodeFlow | null;
  #code: string | null;
  /** What the browser came back from a sign-in with. */
  #returned: URLSearchParams | null;
  #asking: Promise<Access> | null = null;

  constructor(options: {
    storage: TokenStorage;
    key: string;
    code: string | null;
    send: typeof fetch;
    /** How people sign in on this page; null for a page where nobody does. */
    flow?: CodeFlow | null;
    returned?: URLSearchParams | null;
  }) {
    this.#storage = options.storage;
    this.#key = options.key;
    this.#code = options.code;
    this.#send = options.send;
    this.#flow = options.flow ?? null;
    this.#returned = options.returned ?? null;
  }

  /** Leaves the page for the sign-in. */
  async signIn(): Promise<Begin> {
    return (await this.#flow?.begin()) ?? 'not_here';
  }

  /** Whether {@link access} would now give a newer token than it gave before, without the person. */
  get isDue(): boolean {
    return this.#flow?.isDue ?? false;
  }

  /**
   * A fresh code wins over a kept token: whoever opened the address meant that one. Who asks meanwhile is given the same
   * answer, because codes and refresh tokens are good once.
   */
  access(): Promise<Access> {
    this.#asking ??= this.#ask().finally(() => {
      this.#asking = null;
    });
    return this.#asking;
  }

  async #ask(): Promise<Access> {
    if (this.#code !== null) {
      const redeemed = await redeem(this.#code, this.#send);
      if (redeemed.kind === 'unreachable') return redeemed;
      this.#code = null;
      if (redeemed.kind === 'token') {
        this.#storage.setItem(this.#key, redeemed.token);
        return redeemed;
      }
      return this.#kept(redeemed.problem);
    }
    const returned = this.#returned;
    this.#returned = null;
    const granted = returned === null ? await this.#flow?.refreshed() : await this.#flow?.complete(returned);
    if (granted === undefined || granted === null) return this.#kept(null);
    if (granted.kind === 'token') this.#storage.setItem(this.#key, granted.token);
    if (granted.kind === 'refused') return this.#kept(granted.problem);
    return granted;
  }

  #kept(problem: Problem | null): Access {
    const kept = this.#storage.getItem(this.#key);
    return kept === null ? { kind: 'unpaired', problem } : { kind: 'token', token: kept };
  }

  /** The token is no longer accepted; whether another can be asked for without the person. */
  forget(): boolean {
    this.#storage.removeItem(this.#key);
    return this.#flow?.expire() ?? false;
  }
}

/** What keeps a page's token; `isDue` only where people sign in. */
export type TokenSource = Pick<Pairing, 'access' | 'forget'> & Partial<Pick<Pairing, 'isDue'>>;

/** A page's pairing, with the code taken out of the address before anything else can see it. */
export function pairingOf(key: string): Pairing {
  const code = codeInFragment(location.hash);
  if (location.hash !== '') history.replaceState(null, '', location.pathname + location.search);
  return new Pairing({ storage: sessionStorage, key, code, send: (input, init) => fetch(input, init) });
}
