import { expect, it } from 'vitest';
import { readSettings } from './settings.ts';

it('a stream of a server that was set up with nothing gives a sign of life every five seconds', () => {
  // A page takes a stream for dead after three of them: web/live/connection.ts.
  expect(readSettings({}, {}).heartbeatSeconds).toBe(5);
});
