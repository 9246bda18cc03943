import type { Skill } from '../skills.ts';
import { invalidParams, type Method, type MethodOutcome } from './outcome.ts';

const LIST = 'skills/list';
const GET = 'skills/get';

/** What the Skills extension (SEP-2640) adds for a fixed set of skills, which is the same for every principal. */
export function skillMethods<P>(skills: readonly Skill[]): readonly (readonly [string, Method<P>])[] {
  return [
    [
      LIST,
      async (_principal, { cursor }) =>
        // All of them are one page, so no cursor was ever given out.
        cursor === undefined
          ? { kind: 'result', result: { skills } }
          : invalidParams('Invalid cursor: list again without one'),
    ],
    [
      GET,
      async (_principal, { uri }) => {
        if (typeof uri !== 'string') return invalidParams('uri must be a string');
        const skill = skills.find((each) => each.uri === uri);
        return skill === undefined
          ? invalidParams(`No skill is served at ${uri}`)
          : { kind: 'result', result: { skill } };
      },
    ],
  ];
}

/**
 * The method as the 2026-07-28 era has it: what a skill says is read with how long it may be kept, which is not at
 * all. The SDK adds that to the methods that it knows, and these are not among them.
 */
export function withLifetime<P>(name: string, method: Method<P>): Method<P> {
  if (name !== LIST && name !== GET) return method;
  return async (...call) => lasting(await method(...call));
}

function lasting(outcome: MethodOutcome): MethodOutcome {
  if (outcome.kind === 'error') return outcome;
  return { kind: 'result', result: { ...outcome.result, ttlMs: 0, cacheScope: 'private' } };
}
