import type { LiveResources } from '@unsay/live-resources';

const publications = new WeakMap<object, { count: number }>();

/** How many versions were published, of whomever. */
export function written({ store }: LiveResources): number {
  return publications.get(store)?.count ?? 0;
}

/** Publishing that counts. */
export function counting(live: LiveResources): LiveResources['publish'] {
  const tally = { count: 0 };
  publications.set(live.store, tally);
  return async (principal, publication) => {
    const outcome = await live.publish(principal, publication);
    if (outcome.kind === 'published') tally.count += 1;
    return outcome;
  };
}

/** Live resources that count what is published. */
export function counted(live: LiveResources): LiveResources {
  return { ...live, publish: counting(live) };
}
