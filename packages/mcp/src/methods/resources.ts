import type { ResourceMethods } from '../application.ts';
import { invalidParams, type Method, resourceNotFound } from './outcome.ts';

export function listResources<P>(resources: ResourceMethods<P>): Method<P> {
  return async (principal, params) => {
    const { cursor } = params;
    if (cursor !== undefined && typeof cursor !== 'string') return invalidParams('cursor must be a string');
    const outcome = await resources.list(principal, cursor);
    if (outcome.kind === 'bad_cursor') return invalidParams('Invalid cursor: list again without one');
    return {
      kind: 'result',
      result: {
        resources: outcome.resources,
        ...(outcome.nextCursor !== undefined && { nextCursor: outcome.nextCursor }),
      },
    };
  };
}

export function listTemplates<P>(resources: ResourceMethods<P>): Method<P> {
  return async (principal) => ({
    kind: 'result',
    result: { resourceTemplates: resources.templates(principal) },
  });
}

export function readResource<P>(resources: ResourceMethods<P>): Method<P> {
  return async (principal, params) => {
    const { uri } = params;
    if (typeof uri !== 'string') return invalidParams('uri must be a string');
    const outcome = await resources.read(principal, uri);
    return outcome.kind === 'absent'
      ? resourceNotFound(uri)
      : { kind: 'result', result: { contents: outcome.contents } };
  };
}
