import { mcpSessions } from '../live/mcp-session.ts';
import { signInOf } from '../live/page-sign-in.ts';
import { ConnectionView } from '../page/connection-view.ts';
import { byId } from '../page/element.ts';
import { runDevice } from './run-device.ts';

// Before anything that takes time: the code leaves the address.
const pairing = signInOf('unsay.device.token', {
  clientId: 'unsay-device',
  scope: 'care.read.user care.speak',
});

await runDevice({
  open: mcpSessions('unsay-device'),
  pairing,
  standingOf: (retry) =>
    new ConnectionView({
      label: byId('connection-label'),
      notice: byId('connection-notice'),
      page: 'device',
      retry,
      signIn: () => pairing.signIn(),
    }),
});
