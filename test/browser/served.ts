import { modernHeaders, modernMessage, post } from '../harness/raw-mcp.ts';
import type { RunningServer } from '../harness/running-server.ts';
import { send, signed, writeBody } from '../harness/signed-write.ts';

/** A fact as the server gives it to someone who may read all that is spoken. */
export interface ServedFact {
  readonly version: number;
  readonly text: string;
  readonly meta: Readonly<Record<string, unknown>>;
}

/** Reads a speakable fact over MCP, past every page. */
export async function served(server: RunningServer, uri: string): Promise<ServedFact> {
  const token = await server.mint('care.read.user');
  const answer = await post(
    server.url,
    modernMessage('resources/read', { uri }),
    modernHeaders(token, 'resources/read', uri),
  );
  const { result } = (await answer.json()) as {
    result: { contents: { text: string; _meta: Record<string, unknown> }[] };
  };
  const [content] = result.contents;
  if (content === undefined) throw new Error(`the server has no ${uri}`);
  const { text, _meta: meta } = content;
  return { version: Number(meta['unsay/version']), text, meta };
}

/** Publishes a version as a system of the hospital does; gives its number and how many devices were told. */
export async function write(
  server: RunningServer,
  uri: string,
  value: string,
): Promise<{ version: number; subscribers: number }> {
  const answer = await send(server.url, signed(writeBody(uri, value)));
  if (answer.status !== 201) throw new Error(`not written: ${await answer.text()}`);
  return (await answer.json()) as { version: number; subscribers: number };
}

/** A fact as its owner reads it, internal ones too. */
export async function owned(
  server: RunningServer,
  uri: string,
): Promise<{ version: number; value: string; author: string; versionHash: string }> {
  return (await server.operate('read', { uri })) as Awaited<ReturnType<typeof owned>>;
}

/** A fresh address of a page, with its code. */
export async function pairingAddress(server: RunningServer, page: string): Promise<string> {
  const { address } = (await server.operate('pair', { page })) as { address: string };
  return address;
}
