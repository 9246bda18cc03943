import { readProblem } from '../live/problem.ts';
import { type Sending, sendDraft, type WriteBody } from './publish.ts';

/** What the server says would be heard. Only it composes such sentences. */
export type Previewed =
  | {
      readonly kind: 'sentences';
      /** What whoever asks afterwards hears. */
      readonly spoken: string;
      /** What whoever heard the words before hears; null where there are none. */
      readonly retraction: string | null;
    }
  /** Why there are none to show, in words for the person who writes. */
  | { readonly kind: 'none'; readonly why: string };

/** Asks what would be heard if this were published now. Nothing is published. */
export async function preview(body: WriteBody, sending: Sending): Promise<Previewed> {
  try {
    const response = await sendDraft('/preview', body, sending);
    if (response.status === 200) return sentencesOf(await response.json());
    const problem = await readProblem(response);
    if (problem.code === 'head_moved') return { kind: 'none', why: 'Someone else has changed this fact.' };
    return { kind: 'none', why: problem.detail };
  } catch {
    return { kind: 'none', why: 'The server did not answer.' };
  }
}

function sentencesOf(body: unknown): Previewed {
  const { spoken, retraction } = (body ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof spoken !== 'string') return { kind: 'none', why: 'The server’s answer has no sentence in it.' };
  return { kind: 'sentences', spoken, retraction: typeof retraction === 'string' ? retraction : null };
}
