import { bearer, FACT, perform, readArguments } from './acts.mjs';
import { runNode } from './command.mjs';

const { url, token, signsIn, document } = readArguments();
const known = document === undefined ? [] : ['--client-metadata-url', document];
const headers = Object.entries(bearer(token)).flatMap(([name, value]) => ['--header', `${name}: ${value}`]);
// Signing in waits for a person unless it may open a browser by itself.
const env = signsIn ? { MCP_AUTO_OPEN_ENABLED: 'true' } : {};
const ask = async (...args) =>
  JSON.parse(
    await runNode(
      '@modelcontextprotocol/inspector/clients/launcher/build/index.js',
      [...['--cli', url, '--transport', 'http', ...headers, ...known], ...args],
      env,
    ),
  );

await perform({
  connect: async () => (await ask('--method', 'tools/list')).tools.length,
  resources: async () => (await ask('--method', 'resources/list')).resources.length,
  read: async () => (await ask('--method', 'resources/read', '--uri', FACT)).contents.length,
  whats_changed: async () =>
    (await ask('--method', 'tools/call', '--tool-name', 'whats_changed')).content.length,
  prompt: async () =>
    (await ask('--method', 'prompts/get', '--prompt-name', 'brief_carer', '--prompt-args', 'subject=ray'))
      .messages.length,
});
