import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { expect, it } from 'vitest';
import { headerValues } from './header-values.ts';

it('gives what Node takes apart, of every header, however it is spelled and often it is sent', async () => {
  const server = createServer((_req, res) => res.end()).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const asked = once(server, 'request') as Promise<[IncomingMessage]>;
  const sent = [
    'Host: a',
    'hOST: b',
    'Authorization: Bearer one',
    'AUTHORIZATION: Bearer two',
    'X-Empty:',
    'Dpop: c',
  ];
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.write(`GET / HTTP/1.1\r\n${sent.join('\r\n')}\r\nConnection: close\r\n\r\n`);
  const [req] = await asked;
  for (const name of ['host', 'authorization', 'x-empty', 'dpop', 'origin'])
    expect(headerValues(req, name)).toEqual(req.headersDistinct[name] ?? []);
  expect(headerValues(req, 'host')).toEqual(['a', 'b']);
  socket.destroy();
  await new Promise((resolve) => server.close(resolve));
});
