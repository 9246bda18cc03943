import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Caller, createEndpoint, createListenHub, type McpApplication, refuseForeign } from '@unsay/mcp';
import { application as fixtures } from './fixtures/application.ts';
import { type Nobody, nobody } from './fixtures/nobody.ts';

export interface ServedFixtures {
  readonly url: string;
  /** Exceptions that a client was not told of. */
  readonly faults: readonly unknown[];
  stop(): Promise<void>;
}

const caller: Caller<Nobody> = { principal: nobody, sub: 'nobody', clientId: 'suite', isLive: () => true };

/** The fixtures behind the endpoint, on a free port of loopback. Without `direct`, the SDK answers every request. */
export async function serveFixtures({
  direct,
  application = fixtures,
}: {
  readonly direct: boolean;
  readonly application?: McpApplication<Nobody>;
}): Promise<ServedFixtures> {
  const faults: unknown[] = [];
  const onFault = (error: unknown): void => {
    faults.push(error);
  };
  const monotonicNow = () => performance.now();
  const hub = createListenHub<Nobody>({ monotonicNow, onFault });
  const endpoint = createEndpoint<Nobody>({
    application,
    hub,
    direct,
    monotonicNow,
    onFault,
    randomness: { bytes: (_purpose, _record, length) => randomBytes(length) },
  });
  const server = createServer(async (req, res) => {
    if (refuseForeign(req, res)) return;
    await endpoint.handle(req, res, req.method === 'POST' ? await bodyOf(req) : undefined, caller);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://localhost:${port}/mcp`,
    faults,
    async stop() {
      await endpoint.closeAll();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function bodyOf(req: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of req) chunks.push(chunk);
  return Buffer.concat(chunks);
}
