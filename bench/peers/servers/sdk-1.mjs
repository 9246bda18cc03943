/** A bare server of the official SDK 1, one resource, sessions with JSON answers. */
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';

const [uri, text] = process.argv.slice(2);
const transports = new Map();

async function open() {
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: () => randomUUID(),
    enableJsonResponse: true,
    onsessioninitialized: (id) => transports.set(id, transport),
  });
  const server = new McpServer({ name: 'sdk-1', version: '1' });
  server.registerResource('fact', uri, { mimeType: 'text/plain' }, async () => ({
    contents: [{ uri, mimeType: 'text/plain', text }],
  }));
  await server.connect(transport);
  return transport;
}

const server = createServer(async (req, res) => {
  const transport = transports.get(req.headers['mcp-session-id']) ?? (await open());
  await transport.handleRequest(req, res);
});
server.listen(0, '127.0.0.1', () => process.stdout.write(`${server.address().port}\n`));
