import { auth, createMCPClient } from '@ai-sdk/mcp';
import { bearer, FACT, perform, readArguments } from './acts.mjs';
import { afterItsTokenEnded, agreeingProvider } from './sign-in.mjs';

const { url, token, signsIn, document } = readArguments();
const provider = signsIn ? agreeingProvider(document) : undefined;
let client;

async function connect() {
  const transport = {
    type: 'http',
    url,
    headers: bearer(token),
    ...(provider && { authProvider: provider }),
  };
  try {
    client = await createMCPClient({ transport });
  } catch (error) {
    if (provider?.code === undefined) throw error;
    await auth(provider, {
      serverUrl: url,
      authorizationCode: provider.code,
      callbackState: provider.landed.get('state'),
      callbackIssuer: provider.landed.get('iss'),
    });
    client = await createMCPClient({ transport });
  }
  return client.serverInfo.name;
}

const read = async () => (await client.readResource({ uri: FACT })).contents.length;

await perform({
  connect,
  tools: async () => Object.keys(await client.tools()).length,
  resources: async () => (await client.listResources()).resources.length,
  read,
  whats_changed: async () => {
    const { whats_changed } = await client.tools();
    return (await whats_changed.execute({}, { toolCallId: 'one', messages: [] })).content.length;
  },
  prompt: async () =>
    (await client.getPrompt({ name: 'brief_carer', arguments: { subject: 'ray' } })).messages.length,
  ...afterItsTokenEnded(provider, read),
  close: () => client.close(),
});
