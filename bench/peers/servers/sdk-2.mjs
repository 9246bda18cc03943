/** A bare server of the official SDK 2, one resource, as its own guide builds one. */
import { createServer } from 'node:http';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';

const [uri, text] = process.argv.slice(2);

const handler = createMcpHandler(() => {
  const server = new McpServer({ name: 'sdk-2', version: '1' });
  server.registerResource('fact', uri, { mimeType: 'text/plain' }, async () => ({
    contents: [{ uri, mimeType: 'text/plain', text }],
  }));
  return server;
});
const server = createServer(toNodeHandler(handler));
server.listen(0, '127.0.0.1', () => process.stdout.write(`${server.address().port}\n`));
