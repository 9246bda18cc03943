import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { ResourceUpdatedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { bearer, FACT, perform, readArguments, untilTold } from './acts.mjs';
import { programOf } from './command.mjs';
import { afterItsKeptTokenEnded } from './sign-in.mjs';

const { url, token, document } = readArguments();
const known = document === undefined ? [] : ['--client-metadata-url', document];
const headers = Object.entries(bearer(token)).flatMap(([name, value]) => ['--header', `${name}:${value}`]);
const client = new Client({ name: 'behind-mcp-remote', version: '1.32.2' });

const subscribe = async (told) => {
  client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => told(params.uri));
  await client.subscribeResource({ uri: FACT });
};

const read = async () => (await client.readResource({ uri: FACT })).contents.length;

await perform({
  connect: async () => {
    const args = [
      programOf('mcp-remote/dist/proxy.js'),
      url,
      '--transport',
      'http-only',
      ...headers,
      ...known,
    ];
    await client.connect(
      new StdioClientTransport({ command: process.execPath, args, env: process.env, stderr: 'ignore' }),
    );
    return client.getServerVersion()?.name;
  },
  tools: async () => (await client.listTools()).tools.length,
  resources: async () => (await client.listResources()).resources.length,
  read,
  whats_changed: async () => (await client.callTool({ name: 'whats_changed', arguments: {} })).content.length,
  prompt: async () =>
    (await client.getPrompt({ name: 'brief_carer', arguments: { subject: 'ray' } })).messages.length,
  ...afterItsKeptTokenEnded(read),
  subscribe: untilTold(subscribe),
  close: () => client.close(),
});
