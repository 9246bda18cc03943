import { mcpSessions } from '../live/mcp-session.ts';
import { pairingOf } from '../live/pairing.ts';
import { ConnectionView } from '../page/connection-view.ts';
import { byId } from '../page/element.ts';
import { runDevice } from './run-device.ts';

// Before anything that takes time: the code leaves the address.
const pairing = pairingOf('unsay.device.token');

await runDevice({
  open: mcpSessions('unsay-device'),
  pairing,
  standingOf: (retry) =>
    new ConnectionView({
      label: byId('connection-label'),
      notice: byId('connection-notice'),
      page: 'device',
      retry,
    }),
});
