import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ResourceUpdatedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { bearer, FACT, perform, readArguments, untilTold } from './acts.mjs';
import { afterItsTokenEnded, agreeingProvider } from './sign-in.mjs';

const { url, token, signsIn, document } = readArguments();
const client = new Client({ name: 'old-sdk', version: '1.32.2' });
const provider = signsIn ? agreeingProvider(document) : undefined;
const transport = () =>
  new StreamableHTTPClientTransport(new URL(url), {
    requestInit: { headers: bearer(token) },
    ...(provider && { authProvider: provider }),
  });
let open;

async function connect() {
  open = transport();
  try {
    await client.connect(open);
  } catch (error) {
    if (provider?.code === undefined) throw error;
    await open.finishAuth(provider.code);
    open = transport();
    await client.connect(open);
  }
  return client.getServerVersion()?.name;
}

const subscribe = async (told) => {
  client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => told(params.uri));
  await client.subscribeResource({ uri: FACT });
};

const read = async () => (await client.readResource({ uri: FACT })).contents.length;

await perform({
  connect,
  tools: async () => (await client.listTools()).tools.length,
  resources: async () => (await client.listResources()).resources.length,
  read,
  whats_changed: async () => (await client.callTool({ name: 'whats_changed', arguments: {} })).content.length,
  prompt: async () =>
    (await client.getPrompt({ name: 'brief_carer', arguments: { subject: 'ray' } })).messages.length,
  ...afterItsTokenEnded(provider, read),
  subscribe: untilTold(subscribe),
  close: () => open.terminateSession().then(() => client.close()),
});
