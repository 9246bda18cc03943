import type { RunningServer } from './running-server.ts';

/** Brings a code to a server. */
export function pair(
  { url }: RunningServer,
  code: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  return fetch(`${url}/pair`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ code }),
  });
}

/** A fresh code of a page, as `unsay pair` prints it. */
export async function pairingCode(server: RunningServer, page: string): Promise<string> {
  const { address } = (await server.operate('pair', { page })) as { address: string };
  return address.split('#')[1] ?? '';
}
