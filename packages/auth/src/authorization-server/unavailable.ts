/**
 * Something that an answer needs cannot be had right now, so the answer is no. Its members are the ones that
 * `oidc-provider` turns into an OAuth error answer with status 503.
 */
export class Unavailable extends Error {
  readonly error = 'temporarily_unavailable';
  readonly error_description: string;
  readonly status = 503;
  readonly statusCode = 503;
  readonly expose = true;
  // Sending a browser on to the client needs a client that was looked up, and that may be what failed.
  readonly allow_redirect = false;

  constructor(description: string) {
    super('temporarily_unavailable');
    this.error_description = description;
  }
}

/** Runs something against a store: what it throws is told as a fault, and becomes an `Unavailable`. */
export type Reach = <T>(work: () => Promise<T>) => Promise<T>;

export function createReach(onFault: (fault: unknown) => void): Reach {
  return async (work) => {
    try {
      return await work();
    } catch (fault) {
      onFault(fault);
      throw new Unavailable('the server cannot reach its store; nothing was granted, try again in a minute');
    }
  };
}
