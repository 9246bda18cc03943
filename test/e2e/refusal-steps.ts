import { followRaw, post } from '../harness/raw-mcp.ts';
import { chainOf } from './proof.ts';
import { awaited, holds, type Step } from './story.ts';
import { FACT, type World, type Written } from './world.ts';

/** What is not let through, and what does not get lost. */
export const REFUSAL_STEPS: readonly Step<World>[] = [
  {
    title: 'A write that was edited after it was signed is refused',
    async tell(world, { quote }) {
      const { body, headers } = world.sign('Put no more than 18 kilograms on your left leg.');
      const refused = await world.write({ headers, body: body.replace('18 kilograms', '81 kilograms') });
      quote(problemOf(refused));
      holds(
        refused.status === 401 && refused.body.code === 'bad_signature',
        'it was not refused for its signature',
      );
      holds((await versionOf(world)) === 3, 'the fact changed');
    },
  },
  {
    title: 'The signed correction, sent a second time, is refused',
    async tell(world, { quote }) {
      holds(world.correction !== null, 'there is no correction to send again');
      const refused = await world.write(world.correction);
      quote(problemOf(refused));
      holds(refused.status === 401 && refused.body.code === 'replayed', 'it was not refused as a replay');
      holds((await versionOf(world)) === 3, 'the fact changed');
    },
  },
  {
    title: 'A token that is revoked ends its streams',
    async tell({ server, devices }, { say, quote }) {
      for (const { client, token } of devices) {
        const stream = await followRaw(client.era, server.url, token, [FACT]);
        const { stdout } = await server.unsay('token', 'revoke', token);
        quote(stdout.trim());
        const over = await awaited(stream.over, `the end of the stream, ${client.era},`);
        say(`${client.era}: the stream was ${over}; the token’s next request:`);
        const next = await post(server.url, {}, { authorization: `Bearer ${token}` });
        quote(problemOf({ status: next.status, body: JSON.parse(await next.text()) }));
        holds(next.status === 401, 'the token is still accepted');
      }
    },
  },
];

function problemOf({ status, body }: Pick<Written, 'status' | 'body'>): string {
  return `${status} ${body.code}: ${body.title} ${body.next}`;
}

/** The version that stands, asked of the public proof. */
async function versionOf({ server }: World): Promise<number> {
  const { versions } = await chainOf(server.url);
  return versions.length;
}
