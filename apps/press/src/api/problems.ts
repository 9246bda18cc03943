import type { Problem } from '../gates/problem.ts';

/** Every refusal of the API: status, what happened, and what to do next, among its operations or by an admin. */
export const PROBLEMS = {
  'malformed-request': [
    400,
    'The request is not one that the API knows.',
    'Send one JSON object with an operation and exactly the members that the API’s document gives it.',
  ],
  'missing-credential': [
    401,
    'The request carries no token.',
    'Send it again with Authorization: Bearer and an operator token. An admin makes one with: press token add LABEL.',
  ],
  'refused-credential': [
    401,
    'The token does not count: it is unknown, was revoked, or is not an operator’s.',
    'An admin must make a new one with: press token add LABEL.',
  ],
  'first-publish-requires-admin': [
    403,
    'This post has never been live, and only an admin may publish a post for the first time.',
    'Save it with status: draft, and give the revision of the answer to an admin, who must publish it.',
  ],
  'origin-refused': [
    403,
    'The request comes from a web page of another origin.',
    'Send it from a program, which sends no Origin header.',
  ],
  'no-such-post': [404, 'There is no such post.', 'Use list to see which posts there are.'],
  'stale-revision': [
    409,
    'The post is not at the revision that this request is based on; nothing was changed.',
    'Use get to read the post as it is now, decide anew, and send the change with its revision as baseRevision and a new idempotencyKey.',
  ],
  'idempotency-key-reused': [
    409,
    'This idempotencyKey was used before, with another request; nothing was changed.',
    'Send this request with a new idempotencyKey.',
  ],
  'request-too-large': [
    413,
    'The request is larger than eight megabytes.',
    'Make the post shorter, or two posts; check says how large a post may be.',
  ],
  'unsupported-media-type': [
    415,
    'The request is not JSON.',
    'Send it with content-type: application/json, in UTF-8 and not compressed.',
  ],
  'gate-refused': [
    422,
    'The post does not pass the gates; nothing was changed.',
    'Mend each of the problems, use check until it passes, then save.',
  ],
  busy: [
    503,
    'Others were changing posts at the same time, again and again; nothing was changed.',
    'Send the very same request again in a moment, with the same idempotencyKey.',
  ],
  'repository-unavailable': [
    503,
    'The repository of posts cannot be used at the moment.',
    'An admin must look at it. Send the very same request again afterwards, with the same idempotencyKey if it has one.',
  ],
  internal: [
    500,
    'Press failed, and may have carried out a part of it.',
    'Use status to see whether everything agrees. Send the very same request again, with the same idempotencyKey if it has one; if it fails again, an admin must look.',
  ],
} as const satisfies Record<string, readonly [number, string, string]>;

/** The closed list of codes. */
export type ProblemCode = keyof typeof PROBLEMS;

/** What a refusal adds to its code. */
export interface ProblemExtra {
  readonly detail?: string;
  readonly problems?: readonly Problem[];
  readonly currentRevision?: string | null;
}

/** A refusal as a body (RFC 9457). */
export function problemBody(code: ProblemCode, extra: ProblemExtra = {}) {
  const [status, title, next] = PROBLEMS[code];
  const { detail, ...members } = extra;
  return {
    type: 'about:blank',
    title,
    status,
    code,
    ...(detail === undefined ? {} : { detail }),
    ...members,
    next,
  };
}
