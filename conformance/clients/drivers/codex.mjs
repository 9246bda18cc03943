import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { bearer, FACT, perform, readArguments } from './acts.mjs';
import { programOf } from './command.mjs';
import { agree, plain } from './sign-in.mjs';

// Codex without its model: its app server connects to MCP servers by itself and answers over standard input and output.
const { url, token, signsIn, document } = readArguments();
const home = join(process.cwd(), 'codex-home');
mkdirSync(home, { recursive: true });
const credential = token === undefined ? '' : 'bearer_token_env_var = "UNSAY_TOKEN"\n';
writeFileSync(
  join(home, 'config.toml'),
  `check_for_update_on_startup = false
mcp_oauth_credentials_store = "file"
[analytics]
enabled = false
[features]
plugins = false
apps = false
[mcp_servers.unsay]
url = "${url}"
${credential}`,
);

const env = { ...process.env, CODEX_HOME: home, ...(bearer(token).authorization && { UNSAY_TOKEN: token }) };
const child = spawn(process.execPath, [programOf('@openai/codex/bin/codex.js'), 'app-server'], {
  env,
  stdio: ['pipe', 'pipe', 'ignore'],
});
process.on('exit', () => child.kill());
const waiting = new Map();
const noticed = new Map();
createInterface({ input: child.stdout }).on('line', (line) => {
  const message = JSON.parse(line);
  if (message.method !== undefined) noticed.get(message.method)?.(message.params);
  waiting.get(message.id)?.(message);
});
let last = 0;

async function ask(method, params) {
  last += 1;
  const id = last;
  const answer = new Promise((resolve) => waiting.set(id, resolve));
  child.stdin.write(`${JSON.stringify({ id, method, params })}\n`);
  const { result, error } = await answer;
  if (error !== undefined) throw new Error(error.message);
  return result;
}

async function signIn() {
  const done = new Promise((resolve) => noticed.set('mcpServer/oauthLogin/completed', resolve));
  // By itself it is known by its maker's document wherever documents are taken, and by no other.
  const clientRegistration = document === undefined ? 'dcr' : 'cimd';
  const login = { name: 'unsay', clientRegistration, timeoutSecs: 12 };
  const { authorizationUrl } = await ask('mcpServer/oauth/login', login);
  const led = await agree(authorizationUrl);
  const known = new URL(authorizationUrl).searchParams.get('client_id');
  if (!led.ok) throw new Error(`known as ${known}: ${plain(await led.text())}`);
  const { success, error } = await done;
  if (!success) throw new Error(error ?? 'the login did not succeed');
}

const status = async () => {
  const { data } = await ask('mcpServerStatus/list', {});
  const found = data.find(({ name }) => name === 'unsay');
  if (found === undefined) throw new Error('the server is not listed');
  return found;
};
let listed;
let threadId;

await perform({
  connect: async () => {
    await ask('initialize', {
      clientInfo: { name: 'driver', version: '0' },
      capabilities: { experimentalApi: true },
    });
    child.stdin.write(`${JSON.stringify({ method: 'initialized' })}\n`);
    if (signsIn) await signIn();
    listed = await status();
    if (Object.keys(listed.tools).length === 0) throw new Error(`no tools (${listed.authStatus})`);
    return listed.authStatus;
  },
  tools: async () => Object.keys(listed.tools).length,
  resources: async () => listed.resources.length,
  read: async () => (await ask('mcpServer/resource/read', { server: 'unsay', uri: FACT })).contents.length,
  whats_changed: async () => {
    const { thread } = await ask('thread/start', { ephemeral: true });
    threadId = thread.id;
    const call = { server: 'unsay', threadId, tool: 'whats_changed', arguments: {} };
    return (await ask('mcpServer/tool/call', call)).content.length;
  },
});
