import { spawn, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bearer, FACT, perform, readArguments, untilTold } from './acts.mjs';
import { programOf, runNode } from './command.mjs';
import { agree } from './sign-in.mjs';

// The Inspector's other command line: a daemon keeps the connection, and each command is a process of its own.
const PROGRAM = '@modelcontextprotocol/inspector/clients/mcpdo/build/mcp-bin.js';
const { url, token, document } = readArguments();
const settings = join(process.cwd(), 'client.json');
writeFileSync(
  settings,
  JSON.stringify(document === undefined ? {} : { cimd: { enabled: true, clientMetadataUrl: document } }),
);
const env = {
  MCP_CLIENT_CONFIG_PATH: settings,
  MCP_INSPECTOR_DAEMON_DIR: join(process.cwd(), 'daemon'),
  MCP_INSPECTOR_DAEMON_TOKEN: 'a token of the driver, between it and the daemon',
};
const headers = Object.entries(bearer(token)).flatMap(([name, value]) => ['--header', `${name}: ${value}`]);
const AS = ['--connection', 'unsay'];
const ask = async (...args) => JSON.parse(await runNode(PROGRAM, ['--format', 'json', ...args, ...AS], env));
// The daemon outlives whoever started it.
process.on('exit', () => {
  spawnSync(process.execPath, [programOf(PROGRAM), 'daemon', 'stop'], { env: { ...process.env, ...env } });
});

const subscribe = async (told) => {
  const child = spawn(
    process.execPath,
    [programOf(PROGRAM), '--format', 'json', 'resources/subscribe', FACT, ...AS],
    { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'ignore'] },
  );
  let said = '';
  await new Promise((resolve) => {
    child.stdout.setEncoding('utf8').on('data', (text) => {
      said += text;
      if (said.includes('"subscribed"')) resolve();
      if (said.includes('"resources/updated"')) told(FACT);
    });
  });
};

await perform({
  connect: async () => {
    const { authUrl } = await ask('connect', url, '--transport', 'http', '--era', 'auto', ...headers);
    if (authUrl !== undefined) await agree(authUrl);
    const { serverInfo, pendingAuth } = await ask('connections/show');
    if (pendingAuth) throw new Error('it still waits for the person');
    return serverInfo.name;
  },
  tools: async () => (await ask('tools/list')).tools.length,
  resources: async () => (await ask('resources/list')).resources.length,
  read: async () => (await ask('resources/read', FACT)).contents.length,
  whats_changed: async () => (await ask('tools/call', 'whats_changed')).content.length,
  prompt: async () =>
    (await ask('prompts/get', 'brief_carer', '--prompt-args', 'subject=ray')).messages.length,
  subscribe: untilTold(subscribe),
});
