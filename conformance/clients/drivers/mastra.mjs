import { MCPClient } from '@mastra/mcp';
import { auth } from '@modelcontextprotocol/client';
import { bearer, FACT, perform, readArguments, untilTold } from './acts.mjs';
import { afterItsTokenEnded, agreeingProvider } from './sign-in.mjs';

const { url, token, signsIn, document } = readArguments();
const provider = signsIn ? agreeingProvider(document) : undefined;
const client = new MCPClient({
  servers: {
    unsay: {
      url: new URL(url),
      requestInit: { headers: bearer(token) },
      ...(provider && { authProvider: provider }),
    },
  },
});

async function connect() {
  try {
    return await connectOnce();
  } catch (error) {
    if (provider?.code === undefined) throw error;
    // It leaves the code to its host, who finishes with the SDK that it is built on.
    await auth(provider, {
      serverUrl: url,
      authorizationCode: provider.code,
      iss: provider.landed.get('iss'),
    });
    await client.reconnectServer('unsay');
    return connectOnce();
  }
}

async function connectOnce() {
  const { errors, toolsets } = await client.listToolsetsWithErrors();
  const [failed] = Object.values(errors ?? {});
  if (failed !== undefined) throw new Error(String(failed.message ?? failed));
  return Object.keys(toolsets ?? {}).join(' ');
}

const subscribe = async (told) => {
  await client.resources.onUpdated('unsay', ({ uri }) => told(uri));
  await client.resources.subscribe('unsay', FACT);
};

const read = async () => (await client.resources.read('unsay', FACT)).contents.length;

await perform({
  connect,
  tools: async () => Object.keys(await client.listTools()).length,
  resources: async () => (await client.resources.list()).unsay.length,
  read,
  whats_changed: async () => {
    const tools = await client.listTools();
    const answer = await tools.unsay_whats_changed.execute({}, {});
    return Object.keys(answer).sort().join(' ');
  },
  prompt: async () =>
    (await client.prompts.get({ serverName: 'unsay', name: 'brief_carer', args: { subject: 'ray' } }))
      .messages.length,
  ...afterItsTokenEnded(provider, read),
  subscribe: untilTold(subscribe),
  close: () => client.disconnect(),
});
