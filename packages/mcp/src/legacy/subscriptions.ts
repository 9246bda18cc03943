import type { ResourceMethods } from '../application.ts';
import { LIST } from '../hub/listener.ts';
import { invalidParams, type Method, resourceNotFound } from '../methods/outcome.ts';
import type { Session, SessionStore } from './session-store.ts';

/** `resources/subscribe`: a resource that may not be heard of is answered like one that does not exist. */
export function subscribe<P>(
  resources: ResourceMethods<P>,
  store: SessionStore<P>,
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
    // Others may have been asked for meanwhile.
    if (session.subscriptions.has(uri)) {
      await session.saved;
      return { kind: 'result', result: {} };
    }
    if (session.subscriptions.size >= urisPerStream) return invalidParams(tooMany);
    session.subscriptions.add(uri);
    session.stream?.add(uri);
    try {
      // The client may count on it from the answer on, whatever becomes of this process.
      await store.save(session);
    } catch (error) {
      session.subscriptions.delete(uri);
      session.stream?.remove(uri);
      throw error;
    }
    return { kind: 'result', result: {} };
  };
}

/** `resources/unsubscribe`: succeeds for anything, so that it tells nothing. */
export function unsubscribe<P>(store: SessionStore<P>, session: Session<P>): Method<P> {
  return async (_principal, { uri }) => {
    if (typeof uri !== 'string') return invalidParams('uri must be a string');
    if (!session.subscriptions.delete(uri)) return { kind: 'result', result: {} };
    try {
      await store.save(session);
    } catch (error) {
      session.subscriptions.add(uri);
      throw error;
    }
    session.stream?.remove(uri);
    return { kind: 'result', result: {} };
  };
}

/** `resources/list`, remembering that this client now knows a list which can change. */
export function rememberingList<P>(list: Method<P>, store: SessionStore<P>, session: Session<P>): Method<P> {
  return async (principal, params, exchange) => {
    if (session.listServed) return list(principal, params, exchange);
    // Before it is read: what is made while it is being read must be announced.
    session.listsUnderWay += 1;
    session.stream?.add(LIST);
    try {
      const outcome = await list(principal, params, exchange);
      if (outcome.kind === 'result' && !session.listServed) {
        session.listServed = true;
        await store.save(session);
      }
      return outcome;
    } catch (error) {
      session.listServed = false;
      throw error;
    } finally {
      session.listsUnderWay -= 1;
      if (!session.listServed && session.listsUnderWay === 0) session.stream?.remove(LIST);
    }
  };
}
