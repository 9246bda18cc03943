import { connect } from '../harness/era-client.ts';
import { whatsChanged } from './reading-steps.ts';
import { awaited, holds, type Step } from './story.ts';
import { CORRECTED, FACT, readFact, type World } from './world.ts';

/** A correction, and everyone who hears of it. */
export const CORRECTION_STEPS: readonly Step<World>[] = [
  {
    title: 'A physiotherapist writes a correction, signed',
    async tell(world, { quote }) {
      world.correction = world.sign(CORRECTED);
      const { status, words, body } = await world.write(world.correction);
      quote(`${status} ${words}`);
      holds(status === 201 && body.version === 3, 'it was not published as version 3');
      holds(body.subscribers === 2, 'the answer does not count the two devices that listen');
    },
  },
  {
    title: 'Each client is told which fact changed, and nothing of what it says',
    async tell({ devices }, { say, quote }) {
      for (const { client } of devices) {
        const uri = await awaited(client.heard(), `the notification, ${client.era},`);
        const stream = client.tap.streams.map(({ raw }) => raw).join('');
        const message = lastDataOf(stream);
        say(`${client.era}:`);
        quote(message);
        holds(uri === FACT, `it names ${uri}`);
        const members = Object.keys(JSON.parse(message).params ?? {});
        holds(
          members.every((name) => name === 'uri' || name === '_meta'),
          'it carries more than a URI',
        );
        holds(!stream.includes('kilograms'), 'words of the fact were on the stream');
      }
    },
  },
  {
    title: 'Each reads again, and takes the old sentence back',
    async tell({ devices }, { say, quote }) {
      for (const { client } of devices) {
        const { text, meta } = await readFact(client, FACT);
        const retraction = String(meta['unsay/retraction']);
        say(`${client.era}:`);
        quote(retraction);
        holds(text === CORRECTED, 'the new words are not those that were written');
        holds(/“[^”]*30 kilograms/.test(retraction), 'the retraction does not name what it takes back');
        holds(retraction.includes(`“${CORRECTED}”`), 'the retraction does not say the new words exactly');
      }
    },
  },
  {
    title: 'A host that did not listen asks what changed since its cursor',
    async tell(world, { say, quote }) {
      holds(world.cursor !== null, 'it has no cursor');
      const { changes, cursor } = await whatsChanged(world, { after: world.cursor });
      for (const { uri, previousVersion, version, author, retraction } of changes)
        quote(`${uri}: version ${previousVersion} → ${version}, by ${author}\n${retraction}`);
      const [change] = changes;
      holds(changes.length === 1 && change?.uri === FACT, 'it is not told of this one correction');
      holds(change.value === CORRECTED, 'it is told other words');
      const later = await whatsChanged(world, { after: cursor });
      holds(later.changes.length === 0, 'the next cursor tells it the same again');
      say('and since the new cursor: nothing');
    },
  },
  {
    title: 'The carer’s briefing says nothing internal, whoever asks for it',
    async tell({ server }, { say, quote }) {
      const scopes = 'care.read.user care.read.assistant';
      const host = await connect('modern', server.url, await server.mint(scopes, { sub: 'host' }));
      try {
        const internal = [
          await readFact(host, 'care-internal://ray/risk'),
          await readFact(host, 'care-internal://ray/family'),
        ];
        say(`a host that read ${internal.length} internal facts is given, to brief the carer with:`);
        const { messages } = (await host.call('prompts/get', {
          name: 'brief_carer',
          arguments: { subject: 'ray' },
        })) as { readonly messages: readonly { readonly content: { readonly text: string } }[] };
        const briefing = messages.map(({ content }) => content.text).join('\n');
        quote(briefing);
        holds(briefing.includes(CORRECTED), 'the correction is not in it');
        holds(!/internal|\brisk\b|family|daughter/i.test(briefing), 'something internal is in it');
        holds(!internal.some(({ text }) => briefing.includes(text)), 'an internal fact is in it');
        holds(/anticoagulant: .*PAST ITS REVIEW DATE/.test(briefing), 'the stale fact is not marked');
      } finally {
        await host.close();
      }
    },
  },
];

function lastDataOf(stream: string): string {
  const lines = stream.split('\n').filter((line) => line.startsWith('data: {'));
  return lines.at(-1)?.slice('data: '.length) ?? '{}';
}
