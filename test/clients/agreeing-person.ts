import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { RunningServer } from '../harness/running-server.ts';
import { Person } from '../harness/sign-in.ts';

/** A person with a passkey at a server, whom clients that open a browser can send there. */
export interface AgreeingPerson {
  /** `GET <address>?to=<where a client sends a browser>` is answered with a redirect to where that leads in the end. */
  readonly address: string;
  close(): Promise<void>;
}

/** Enrols a person who signs in with their passkey and allows whatever is asked, for the subject of the demonstration. */
export async function startAgreeingPerson(server: RunningServer): Promise<AgreeingPerson> {
  const person = new Person(server);
  await person.enrol();
  const door = createServer((req, res) => {
    const to = new URL(req.url ?? '/', 'http://door').searchParams.get('to') ?? '';
    agree(person, to).then(
      (location) => res.writeHead(302, { location }).end(),
      (error: unknown) => res.writeHead(502).end(String(error)),
    );
  });
  await new Promise<void>((resolve) => door.listen(0, '127.0.0.1', resolve));
  return {
    address: `http://127.0.0.1:${(door.address() as AddressInfo).port}/`,
    close: () =>
      new Promise((resolve) => {
        door.closeAllConnections();
        door.close(() => resolve());
      }),
  };
}

async function agree(person: Person, to: string): Promise<string> {
  const asked = await person.signIn(await person.sentBy(new URL(to)));
  return (await person.allow(asked.pathname, ['ray'])).href;
}
