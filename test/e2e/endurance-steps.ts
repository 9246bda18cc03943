import { chainOf, chainsOf } from './proof.ts';
import { holds, type Step } from './story.ts';
import type { World } from './world.ts';

const ANSWERED = 5;

/** What was answered outlives the process. */
export const ENDURANCE_STEPS: readonly Step<World>[] = [
  {
    title: 'kill -9 in the middle of writing, and npm start again',
    async tell(world, { say, quote }) {
      const answered: string[] = [];
      const written = Promise.withResolvers<void>();
      const writing = (async () => {
        for (let count = 1; ; count += 1) {
          const { status, body } = await world.write(world.sign(`Rest after ${count} minutes of walking.`));
          holds(status === 201, `write ${count} was answered with ${status}`);
          answered.push(String(body.versionHash));
          if (count === ANSWERED) written.resolve();
        }
      })().catch((error: unknown) => written.reject(error));
      await written.promise;
      await world.server.kill();
      await writing;
      say(`${answered.length} writes were answered before the end`);
      const { lines } = await world.start();
      quote(`${lines[0]}\n${lines.at(-1)}`);
      const { versions } = await chainOf(world.server.url);
      const kept = new Set(versions.map(({ versionHash }) => versionHash));
      const lost = answered.filter((hash) => !kept.has(hash));
      holds(lost.length === 0, `${lost.length} answered writes are gone`);
      say('every one of them is there');
    },
  },
  {
    title: 'The chains are intact, for anyone who asks',
    async tell({ server }, { quote }) {
      const chains = await chainsOf(server.url);
      for (const { uri, versions, intact } of chains) {
        const last = versions.at(-1)?.versionHash.slice(0, 16);
        const count = versions.length === 1 ? '1 version' : `${versions.length} versions`;
        quote(`${uri}: ${count}, intact ${intact}, head ${last}…`);
      }
      holds(chains.length > 0, 'there are no chains');
      holds(
        chains.every(({ intact }) => intact),
        'a chain is broken',
      );
      holds(!chains.some(({ uri }) => uri.startsWith('care-internal:')), 'an internal chain is shown');
    },
  },
  {
    title: 'Ctrl-C ends it in good order',
    async tell(world, { say }) {
      const { server } = world;
      await world.end();
      say(`its last line: ${server.lines.at(-1)}`);
      holds(!server.lines.at(-1)?.startsWith('ready in'), 'it did not say that it stops');
      holds(server.faults() === '', `it complained: ${server.faults()}`);
    },
  },
];
