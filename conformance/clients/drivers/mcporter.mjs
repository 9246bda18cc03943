import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bearer, FACT, perform, readArguments } from './acts.mjs';
import { runNode } from './command.mjs';
import { afterItsKeptTokenEnded } from './sign-in.mjs';

const { url, token, signsIn } = readArguments();
const config = join(process.cwd(), 'mcporter.json');
const server = { baseUrl: url, headers: bearer(token), ...(signsIn && { auth: 'oauth' }) };
writeFileSync(config, JSON.stringify({ mcpServers: { unsay: server }, imports: [] }));
// It waits this long for a person, in milliseconds.
const ask = (...args) =>
  runNode('mcporter/dist/cli.js', [...args, '--config', config, '--oauth-timeout', '10000']);

const read = async () => JSON.parse(await ask('resource', 'unsay', FACT, '--json')).contents.length;

await perform({
  connect: async () => {
    if (signsIn) await ask('auth', 'unsay');
    const { status, error, tools } = JSON.parse(await ask('list', 'unsay', '--json'));
    if (status !== undefined && status !== 'ok') throw new Error(`${status}: ${error ?? ''}`);
    return tools.length;
  },
  resources: async () => JSON.parse(await ask('resource', 'unsay', '--json')).resources.length,
  read,
  whats_changed: async () =>
    Object.keys(JSON.parse(await ask('call', 'unsay.whats_changed', '--output', 'json'))).join(' '),
  ...afterItsKeptTokenEnded(read),
});
