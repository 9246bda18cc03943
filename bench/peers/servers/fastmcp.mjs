/** A bare fastmcp server, one resource, JSON answers. Its own log goes nowhere. */
import { createServer } from 'node:net';
import { FastMCP } from 'fastmcp';

const [uri, text] = process.argv.slice(2);
const quiet = { debug() {}, error() {}, info() {}, log() {}, warn() {} };
const server = new FastMCP({ name: 'fastmcp', version: '1.0.0', logger: quiet });
server.addResource({ uri, name: 'fact', mimeType: 'text/plain', load: async () => ({ text }) });

const port = await new Promise((resolve) => {
  const probe = createServer().listen(0, '127.0.0.1', () => {
    const { port: free } = probe.address();
    probe.close(() => resolve(free));
  });
});
await server.start({
  transportType: 'httpStream',
  httpStream: { port, host: '127.0.0.1', enableJsonResponse: true },
});
process.stdout.write(`${port}\n`);
