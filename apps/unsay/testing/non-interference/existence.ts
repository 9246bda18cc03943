import { type FactVersion, type LiveResources, type Principal, parseFactUri } from '@unsay/live-resources';
import { ALL_SCOPES } from '../../src/domain/care-partition.ts';

/** The same caller, allowed everything. What a check that was forgotten comes to. */
export function unchecked(principal: Principal): Principal {
  return { ...principal, scopes: new Set(ALL_SCOPES), subjects: '*' };
}

/** Whether a URI names a fact, whoever asks. */
export async function exists(live: LiveResources, uri: string): Promise<boolean> {
  const target = parseFactUri(uri);
  return target !== null && (await live.store.version(target, null))?.uri === target.uri;
}

/** Every fact there is, whoever asks. */
export function everyFact({ store, partition }: LiveResources): Promise<readonly FactVersion[]> {
  const audiences = partition.rules.map(({ audience }) => audience);
  return store.list({ subjects: '*', audiences, after: null, limit: 1000 });
}
