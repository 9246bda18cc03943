import { type Problem, readProblem } from '../live/problem.ts';

interface Authored {
  readonly uri: string;
  readonly authorId: string;
  readonly authorLabel?: string;
}

/** New words for a fact. */
export interface Revision extends Authored {
  readonly value: string;
  /** ISO instant. */
  readonly staleAfter?: string;
}

/** A fact taken back with nothing in its place. */
export interface Withdrawal extends Authored {
  readonly withdraw: true;
}

/** What is sent to `POST /write`, and to `POST /preview` before it. */
export type WriteBody = Revision | Withdrawal;

/** How a draft is sent. `ifMatch` is the hash of the head that the person has seen. */
export interface Sending {
  readonly token: string;
  readonly ifMatch: string;
  readonly send: typeof fetch;
}

/** How a publication ended. */
export type Published =
  | {
      readonly kind: 'published';
      readonly version: number;
      /** Open streams of devices that were told. */
      readonly subscribers: number;
    }
  /** Someone published first; the editor has to see that before the next try. */
  | { readonly kind: 'head_moved'; readonly problem: Problem }
  | { readonly kind: 'refused'; readonly problem: Problem }
  /** No answer: it may have been published or not. */
  | { readonly kind: 'unknown' };

/** Publishes a version on the condition that the head is still the one the editor saw. */
export async function publish(body: WriteBody, sending: Sending): Promise<Published> {
  try {
    const response = await sendDraft('/write', body, sending);
    if (response.status === 201) return writtenOf(await response.json());
    const problem = await readProblem(response);
    return { kind: problem.code === 'head_moved' ? 'head_moved' : 'refused', problem };
  } catch {
    return { kind: 'unknown' };
  }
}

/** Sends a draft to a route of the server, on the condition that the head is still the one that was seen. */
export function sendDraft(
  route: '/write' | '/preview',
  body: WriteBody,
  { token, ifMatch, send }: Sending,
): Promise<Response> {
  return send(route, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      'if-match': `"${ifMatch}"`,
    },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(10_000),
  });
}

function writtenOf(body: unknown): Published {
  const number = (key: string): number => {
    const value: unknown = typeof body === 'object' && body !== null ? Reflect.get(body, key) : null;
    return typeof value === 'number' ? value : 0;
  };
  return { kind: 'published', version: number('version'), subscribers: number('subscribers') };
}
