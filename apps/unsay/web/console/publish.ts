import { type Problem, readProblem } from '../live/problem.ts';

/** What is sent to `POST /write`. */
export interface WriteBody {
  readonly uri: string;
  readonly value: string;
  readonly authorId: string;
  readonly authorLabel?: string;
  /** ISO instant. */
  readonly staleAfter?: string;
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
export async function publish(
  body: WriteBody,
  options: { readonly token: string; readonly ifMatch: string; readonly send: typeof fetch },
): Promise<Published> {
  try {
    const response = await options.send('/write', {
      method: 'POST',
      headers: {
        authorization: `Bearer ${options.token}`,
        'content-type': 'application/json',
        'if-match': `"${options.ifMatch}"`,
      },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(10_000),
    });
    if (response.status === 201) return writtenOf(await response.json());
    const problem = await readProblem(response);
    return { kind: problem.code === 'head_moved' ? 'head_moved' : 'refused', problem };
  } catch {
    return { kind: 'unknown' };
  }
}

function writtenOf(body: unknown): Published {
  const number = (key: string): number => {
    const value: unknown = typeof body === 'object' && body !== null ? Reflect.get(body, key) : null;
    return typeof value === 'number' ? value : 0;
  };
  return { kind: 'published', version: number('version'), subscribers: number('subscribers') };
}
