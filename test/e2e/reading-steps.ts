import type { EraClient } from '../harness/era-client.ts';
import { holds, type Step } from './story.ts';
import { FACT, readFact, type World } from './world.ts';

const ABSENT = ['care-internal://ray/risk', 'care://ray/risk', 'care://ray/no_such_fact'] as const;

/** Before anything changes: who may read what. */
export const READING_STEPS: readonly Step<World>[] = [
  {
    title: 'npm start on an empty folder, and a client of each era',
    async tell(world, { say, quote }) {
      const { lines } = await world.start();
      // A token is for whoever started the server, not for a log.
      quote(lines.join('\n').replaceAll(/eyJ[\w.-]+/g, '…'));
      await world.connectDevices();
      for (const { client } of world.devices)
        say(`connected: a ${client.era} client with care.read.user for ray`);
    },
  },
  {
    title: 'A speaking device lists what it may say, and internal facts are not there',
    async tell({ devices }, { say, quote }) {
      const lists = await Promise.all(devices.map(({ client }) => listOf(client)));
      const [uris = []] = lists;
      quote(uris.join('\n'));
      holds(uris.includes(FACT), `${FACT} is not listed`);
      holds(!/internal|risk|family/.test(uris.join()), 'an internal fact is listed');
      holds(new Set(lists.map(String)).size === 1, 'the eras list different facts');
      for (const { client } of devices) {
        say(`asked for by name, ${client.era}:`);
        const refusals = await refusalsOf(client);
        quote(refusals.join('\n'));
        const shapes = refusals.map((words, index) => words.replaceAll(ABSENT[index] ?? '', 'URI'));
        holds(new Set(shapes).size === 1, 'forbidden and absent are answered differently');
      }
    },
  },
  {
    title: 'What it would say about bearing weight',
    async tell({ devices }, { say, quote }) {
      for (const { client } of devices) {
        const { text, meta } = await readFact(client, FACT);
        quote(text);
        say(`${client.era}: version ${meta['unsay/version']}, by ${meta['unsay/author']}`);
        holds(meta['unsay/version'] === 2, 'the demonstration plan does not stand at its second version');
        holds(meta['unsay/audience'] === 'user', 'the fact is not for the patient’s ears');
      }
    },
  },
  {
    title: 'A fact past its review date comes with its age in front',
    async tell({ devices }, { quote }) {
      for (const { client } of devices) {
        const { text, meta } = await readFact(client, 'care://ray/anticoagulant');
        quote(text);
        holds(meta['unsay/stale'] === true, 'it is not marked as stale');
        const headed = /^\[STALE — last changed .+ by .+; say this age aloud\] /.test(text);
        holds(headed, 'its text does not say its age');
      }
    },
  },
  {
    title: 'Both clients subscribe, and a host notes where it stands',
    async tell(world, { say, quote }) {
      for (const { client } of world.devices) {
        const honoured = await client.follow([FACT, 'care-internal://ray/risk']);
        say(`${client.era}, asked for ${FACT} and care-internal://ray/risk, was granted:`);
        quote(honoured.join('\n'));
        holds(honoured.join() === FACT, 'the subscription is not to the speakable fact alone');
      }
      const { cursor } = await whatsChanged(world, {});
      world.cursor = cursor;
      say('whats_changed gave a cursor for later');
    },
  },
];

/** What `whats_changed` answers. */
export interface Changes {
  readonly changes: readonly {
    readonly uri: string;
    readonly version: number;
    readonly previousVersion: number;
    readonly value: string;
    readonly author: string;
    readonly retraction: string;
  }[];
  readonly cursor: string;
}

/** Asks what changed, with the legacy client. */
export async function whatsChanged({ devices }: World, args: object): Promise<Changes> {
  const host = devices.find(({ client }) => client.era === 'legacy')?.client;
  const answer = await host?.tool('whats_changed', { ...args });
  holds(answer !== undefined, 'whats_changed was not answered');
  return answer.structuredContent as Changes;
}

async function listOf(client: EraClient): Promise<string[]> {
  const uris: string[] = [];
  let cursor: string | undefined;
  do {
    const page = (await client.call('resources/list', cursor === undefined ? {} : { cursor })) as {
      readonly resources: readonly { readonly uri: string }[];
      readonly nextCursor?: string;
    };
    uris.push(...page.resources.map(({ uri }) => uri));
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return uris;
}

async function refusalsOf(client: EraClient): Promise<string[]> {
  const refusals: string[] = [];
  for (const uri of ABSENT) {
    const { code, message } = await client.refusal('resources/read', { uri });
    refusals.push(`${code} ${message}`);
  }
  return refusals;
}
