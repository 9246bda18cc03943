import type { ResourceMethods } from '../application.ts';
import type { Caller } from '../caller.ts';
import { LIST } from '../hub/listener.ts';
import { invalidParams, type Method, resourceNotFound } from '../methods/outcome.ts';
import type { Handler } from '../server-object.ts';
import type { Session } from './session-store.ts';

/** `resources/subscribe`: a resource that may not be heard of is answered like one that does not exist. */
export function subscribe<P>(
  resources: ResourceMethods<P>,
  session: Session<P>,
  urisPerStream: number,
): Method<P> {
  return async (principal, { uri }) => {
    if (typeof uri !== 'string') return invalidParams('uri must be a string');
    const isFull = session.subscriptions.size >= urisPerStream;
    const tooMany = `One session may subscribe to at most ${urisPerStream} resources: unsubscribe from some`;
    if (isFull && !session.subscriptions.has(uri)) return invalidParams(tooMany);
    if (!(await resources.mayHear(principal, uri))) {
      // A narrower token of the same owner must not learn here what a wider one subscribed to.
      return isFull ? invalidParams(tooMany) : resourceNotFound(uri);
    }
    session.subscriptions.add(uri);
    session.stream?.add(uri);
    return { kind: 'result', result: {} };
  };
}

/** `resources/unsubscribe`: succeeds for anything, so that it tells nothing. */
export function unsubscribe<P>(session: Session<P>): Method<P> {
  return async (_principal, { uri }) => {
    if (typeof uri !== 'string') return invalidParams('uri must be a string');
    session.subscriptions.delete(uri);
    session.stream?.remove(uri);
    return { kind: 'result', result: {} };
  };
}

/** `resources/list`, remembering that this client now knows a list which can change. */
export function rememberingList<P>(list: Method<P>, session: Session<P>, caller: Caller<P>): Handler {
  return async (params) => {
    const outcome = await list(caller.principal, params);
    if (outcome.kind === 'result') {
      session.listServed = true;
      session.stream?.add(LIST);
    }
    return outcome;
  };
}
