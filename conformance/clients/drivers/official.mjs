import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { bearer, FACT, perform, readArguments, untilTold } from './acts.mjs';
import { afterItsTokenEnded, agreeingProvider } from './sign-in.mjs';

const { url, token, era, signsIn, document } = readArguments();
const client = new Client(
  { name: 'official-client', version: '2.4.0' },
  { versionNegotiation: { mode: era === 'modern' ? 'auto' : 'legacy' } },
);
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
    await open.finishAuth(provider.landed);
    open = transport();
    await client.connect(open);
  }
  return client.getServerVersion()?.name;
}

const subscribe = async (told) => {
  client.setNotificationHandler('notifications/resources/updated', ({ params }) => told(params.uri));
  if (era === 'modern') await client.listen({ resourceSubscriptions: [FACT] });
  else await client.subscribeResource({ uri: FACT });
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
  close: () => (era === 'modern' ? client.close() : open.terminateSession().then(() => client.close())),
});
