/// <reference lib="dom" />
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import {
  AppBridge,
  getToolUiResourceUri,
  type McpUiResourceMeta,
  PostMessageTransport,
} from '@modelcontextprotocol/ext-apps/app-bridge';

/** A host in a browser, as small as one can be: the extension's own bridge between a card and an MCP client. */

declare global {
  interface Window {
    /** Connects to a server, and shows the card of the tool that has one in the frame. */
    showCard(mcpUrl: string, token: string, sandboxUrl: string): Promise<void>;
    /** Calls the card's tool as a model does, and tells the card of the result. */
    callTool(): Promise<void>;
    /** Takes the card away in good order. */
    teardown(): Promise<void>;
    /** Every message of the card to its host. */
    fromCard: unknown[];
    /** What the card says its height is. */
    cardHeight: number;
  }
}

const MEDIA_TYPE = 'text/html;profile=mcp-app';
const HOST = { name: 'host-of-the-tests', version: '1' };

window.fromCard = [];

window.showCard = async (mcpUrl, token, sandboxUrl) => {
  const client = new Client(HOST, { versionNegotiation: { mode: { pin: '2026-07-28' } } });
  await client.connect(
    new StreamableHTTPClientTransport(new URL(mcpUrl), {
      requestInit: { headers: { authorization: `Bearer ${token}` } },
    }),
  );
  const { tools } = await client.listTools();
  const tool = tools.find((each) => getToolUiResourceUri(each) !== undefined);
  const uri = tool && getToolUiResourceUri(tool);
  if (tool === undefined || uri === undefined) throw new Error('no tool has a card');
  const [content] = (await client.readResource({ uri })).contents;
  if (content === undefined || !('text' in content) || content.mimeType !== MEDIA_TYPE)
    throw new Error('the card is no card');
  const html = content.text;
  const { ui } = content._meta ?? {};
  const { csp } = ui as McpUiResourceMeta;

  const frame = document.createElement('iframe');
  frame.title = 'Sandbox';
  frame.sandbox.add('allow-scripts', 'allow-same-origin');
  frame.src = sandboxUrl;
  const capabilities = { serverTools: {}, serverResources: {} };
  const bridge = new AppBridge(client, HOST, capabilities, { hostContext: { toolInfo: { tool } } });
  bridge.onsizechange = ({ height = 0 }) => {
    window.cardHeight = height;
    frame.style.height = `${height}px`;
  };
  addEventListener('message', ({ source, data }) => {
    if (source === frame.contentWindow) window.fromCard.push(data);
  });
  const initialized = new Promise<void>((resolve) => {
    bridge.oninitialized = () => resolve();
  });
  bridge.onsandboxready = () =>
    void bridge.sendSandboxResourceReady({ html, ...(csp !== undefined && { csp }) });
  document.body.append(frame);
  if (frame.contentWindow === null) throw new Error('the frame has no window');
  await bridge.connect(new PostMessageTransport(frame.contentWindow, frame.contentWindow));
  await initialized;

  window.callTool = async () => {
    await bridge.sendToolInput({ arguments: {} });
    await bridge.sendToolResult(await client.callTool({ name: tool.name, arguments: {} }));
  };
  window.teardown = async () => {
    await bridge.teardownResource({});
  };
};
