import { type RunningServer, serveOnNode } from '../http/node-server.ts';
import { createPress } from '../press.ts';
import { seedDemonstration } from '../seed-demonstration.ts';
import { type Command, EXIT, withPress } from './command.ts';

/** Runs Press until it is stopped. */
export const SERVE_COMMAND: Command = {
  usage: 'serve',
  what: 'Serves the site and the publishing API until Ctrl-C. The same as no command.',
  words: 0,
  options: {},
  begins: true,
  run(invocation) {
    const { settings, options, print, complain } = invocation;
    // Before anything is opened: a signal that comes early must not be lost.
    const stopped = new Promise<void>((resolve) => {
      for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => resolve());
    });
    return withPress(invocation, async (parts) => {
      if (settings.seed === 'demo') await seedDemonstration(parts);
      let server: RunningServer | undefined;
      const site = () => {
        const { title, description, publicUrl } = settings;
        return { title, description, url: publicUrl ?? server?.url ?? 'http://127.0.0.1' };
      };
      const onFault = (error: unknown): void => complain(`Press failed at a request: ${faultText(error)}`);
      server = await serveOnNode(createPress({ ...parts, site, onFault }), settings);
      const { url } = server;
      if (options.json === true) print(JSON.stringify({ url, data: settings.data }));
      else
        print(
          `Site        ${url}/
API         ${url}/api/operator; make a token with: npm run press -- token add LABEL
Admin page  ${url}/admin; make a token with: npm run press -- token add LABEL --admin
Data        ${settings.data}
Ctrl-C stops it.`,
        );
      await stopped;
      await server.close();
      return EXIT.success;
    });
  },
};

/** A fault without what the request held: its class, and where it happened. */
function faultText(error: unknown): string {
  if (!(error instanceof Error)) return 'something that is no error was thrown';
  const place = /\n\s+at (.+)/.exec(error.stack ?? '')?.[1] ?? 'an unknown place';
  return `${error.name} at ${place}`;
}
