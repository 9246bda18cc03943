import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bearer, FACT, perform, readArguments } from './acts.mjs';
import { runNode } from './command.mjs';

const { url, token, signsIn } = readArguments();
const config = join(process.cwd(), 'mcporter.json');
const server = { baseUrl: url, headers: bearer(token), ...(signsIn && { auth: 'oauth' }) };
writeFileSync(config, JSON.stringify({ mcpServers: { unsay: server }, imports: [] }));
const ask = (...args) => runNode('mcporter/dist/cli.js', [...args, '--config', config]);

await perform({
  connect: async () => {
    if (signsIn) await ask('auth', 'unsay');
    const { status, error, tools } = JSON.parse(await ask('list', 'unsay', '--json'));
    if (status !== undefined && status !== 'ok') throw new Error(`${status}: ${error ?? ''}`);
    return tools.length;
  },
  resources: async () => JSON.parse(await ask('resource', 'unsay', '--json')).resources.length,
  read: async () => JSON.parse(await ask('resource', 'unsay', FACT, '--json')).contents.length,
  whats_changed: async () =>
    Object.keys(JSON.parse(await ask('call', 'unsay.whats_changed', '--output', 'json'))).join(' '),
});
