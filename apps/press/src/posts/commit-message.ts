import { createHash } from 'node:crypto';
import type { Actor } from './parts.ts';

/** What a commit does to a post. */
export type Action = 'save' | 'delete' | 'publish';

/** What the message of a commit says of it, beside its subject. */
export interface CommitNote {
  readonly action: Action;
  readonly slug: string;
  readonly actor: Actor;
  /** The revision that the post has from here on; null when it is gone. */
  readonly revision: string | null;
  /** The request that the commit answers. */
  readonly request: RequestId | null;
}

/** A request, named so that a retry is known: by whose key it came, and what it asked. Both SHA-256, hex. */
export interface RequestId {
  readonly id: string;
  readonly fingerprint: string;
}

const VERBS = { save: 'Save', delete: 'Delete', publish: 'Publish' } as const;

/** The tag of an actor in a commit: eight hex digits that follow from the label alone, never from a token. */
export function tagOf({ role, label }: Actor): string {
  const digest = createHash('sha256').update(`press ${role} ${label}`).digest('hex');
  return `[${role}:${digest.slice(0, 8)}]`;
}

/** Names a request by its actor, its key, and everything it asked for. */
export function requestId(actor: Actor, key: string, asked: readonly (string | null)[]): RequestId {
  const hash = (value: unknown): string => createHash('sha256').update(JSON.stringify(value)).digest('hex');
  return { id: hash([actor.role, actor.label, key]), fingerprint: hash(asked) };
}

/** The message of a commit: the actor's tag in the subject, the rest in trailers. */
export function commitMessage({ action, slug, actor, revision, request }: CommitNote): string {
  const trailers = [
    `Press-Action: ${action}`,
    `Press-Label: ${actor.label}`,
    ...(revision === null ? [] : [`Press-Revision: ${revision}`]),
    ...(request === null ? [] : [`Press-Request: ${request.id} ${request.fingerprint}`]),
  ];
  return `${VERBS[action]} ${slug} ${tagOf(actor)}\n\n${trailers.join('\n')}\n`;
}

/** What the trailers of a commit say; whoever committed by other means has said none of it. */
export function readMessage(message: string): {
  readonly action: Action | null;
  readonly label: string | null;
  readonly revision: string | null;
  readonly request: RequestId | null;
} {
  const trailer = (name: string, value: string): string[] =>
    new RegExp(`^Press-${name}: ${value}$`, 'm').exec(message)?.slice(1) ?? [];
  const [action] = trailer('Action', '(save|delete|publish)');
  const [label] = trailer('Label', '(.+)');
  const [revision] = trailer('Revision', '([0-9a-f]{40})');
  const [id, fingerprint] = trailer('Request', '([0-9a-f]{64}) ([0-9a-f]{64})');
  return {
    action: (action as Action | undefined) ?? null,
    label: label ?? null,
    revision: revision ?? null,
    request: id === undefined || fingerprint === undefined ? null : { id, fingerprint },
  };
}
