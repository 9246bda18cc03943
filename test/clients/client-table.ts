import type { CataloguedClient } from './catalogue.ts';
import type { Act } from './driver.ts';
import type { ProbeReport } from './probe-process.ts';

/** What one client did, at the probe and at Unsay. */
export interface ClientResult {
  readonly client: CataloguedClient;
  readonly version: string;
  /** Against the probe when everyone may come in, against the one that asks for a token, and against Unsay. */
  readonly open: readonly Act[];
  readonly auth: readonly Act[];
  readonly unsay: readonly Act[];
  /** What it did at Unsay with a token that it went and got: known by registration, and by a document if it can. */
  readonly signedIn: { readonly registered: readonly Act[]; readonly documented: readonly Act[] | null };
  /** Who came to the open probe, and to the other. */
  readonly seen: readonly ProbeReport[];
  readonly seenAuth: readonly ProbeReport[];
}

/** What happens to `docs/clients.md` is decided here alone. */
export function clientsPage(results: readonly ClientResult[], date: string): string {
  return `# Clients that were tried

Programs written by others, run by \`npm run clients\` on ${date}: against Unsay with a token and signing in, against the
[probe](../apps/probe/src/probe-server.ts) with its doors open, and against the probe when it asks for a token (a client that can
goes and gets one). This page is generated; what each of them sent is in
[conformance/transcripts](../conformance/transcripts), and \`npm test\` sends it to Unsay again.

| client | version | era | at Unsay | signs in at Unsay | at the probe | signs in there | odd |
| --- | --- | --- | --- | --- | --- | --- | --- |
${results.map(rowOf).join('\n')}

The columns say what a client was seen to do: connect, list **tools** and **resources** (with how many it listed), **read** a
fact, call **whats_changed**, get a **prompt**, and **subscribe**, which counts when it was told of a change. Who lists fewer
resources than there are does not follow the pages by itself. A client that is not said to subscribe was not
made to. It **signs in** when it found out by itself where to go, was let in by a person with a passkey, and read a fact
with what it was given: as a client that **registers** itself (RFC 7591), and as one that is known by the address of its
**document** (a client id metadata document), where the program can be given one. A document of the program's maker is out
of reach of a machine without the internet, such as the one that wrote this page. A client **refreshed** when its token ended
and it read on with another that it had got by itself; one that is not said to was not made to.

## How they ask for a token

The way through discovery and registration, as the probe saw it: each request with the status it got.

${results.map(walkOf).join('\n\n')}
`;
}

function rowOf({ client, version, open, auth, unsay, signedIn, seen, seenAuth }: ClientResult): string {
  const odd = [...new Set([...seen, ...seenAuth].flatMap(({ oddities }) => oddities))];
  return cells(
    `\`${client.program}\`${client.as === '' ? '' : `, ${client.as}`}`,
    version,
    eraOf(seen),
    did(unsay),
    waysIn(client, signedIn),
    did(open),
    hasRead(auth) ? 'yes' : `no: ${firstFailure(auth)}`,
    odd.join('; ') || '—',
  );
}

/** Whether a client got as far as reading a fact. */
export function hasRead(acts: readonly Act[]): boolean {
  return acts.some(({ act, ok }) => act === 'read' && ok);
}

function waysIn(
  { document }: CataloguedClient,
  { registered, documented }: ClientResult['signedIn'],
): string {
  const way = (name: string, acts: readonly Act[]): string =>
    hasRead(acts) ? `${name}${renewal(acts)}` : `**not ${name}**: ${firstFailure(acts)}`;
  const name = document === 'of its maker' ? 'by its maker’s document' : 'by its document';
  return [
    way('registered', registered),
    documented === null ? 'knows no document' : way(name, documented),
  ].join(', ');
}

/** What came of a token that ended; nothing of a client that was not made to go on after one. */
function renewal(acts: readonly Act[]): string {
  const refresh = acts.find(({ act }) => act === 'refresh');
  if (refresh === undefined) return '';
  return refresh.ok ? ' and refreshed' : ` and **not refreshed** (${refresh.detail})`;
}

function eraOf(seen: readonly ProbeReport[]): string {
  const eras = new Set(seen.map(({ era }) => era ?? 'none'));
  const revisions = new Set(seen.flatMap((each) => each.revisions));
  return `${[...eras].join(' and ')}, ${[...revisions].sort().join(' and ')}`;
}

const COUNTED = ['tools', 'resources'];

function did(acts: readonly Act[]): string {
  const done = acts
    .filter(({ ok, act }) => ok && act !== 'close')
    .map(({ act, detail }) => (COUNTED.includes(act) ? `${act} (${detail})` : act));
  const failed = acts.filter(({ ok }) => !ok).map(({ act, detail }) => `**not ${act}**: ${detail}`);
  return [...done, ...failed].join(', ') || 'nothing';
}

function firstFailure(acts: readonly Act[]): string {
  return acts.find(({ ok }) => !ok)?.detail ?? 'it did not read';
}

function walkOf({ client, seenAuth }: ClientResult): string {
  const walks = seenAuth
    .filter(({ walk }) => walk.length > 0)
    .map(
      ({ client: name, walk }) =>
        `${seenAuth.length > 1 ? `as ${name}: ` : ''}${shortened(walk).join(' → ')}`,
    );
  return `- \`${client.program}\`${client.as === '' ? '' : `, ${client.as}`}: ${walks.join('; ') || 'none'}`;
}

/** A client that starts anew for every command walks the same way again and again. */
function shortened(walk: readonly string[]): readonly string[] {
  const MOST = 12;
  return walk.length <= MOST ? walk : [...walk.slice(0, MOST), `and ${walk.length - MOST} more of these`];
}

function cells(...values: readonly string[]): string {
  return `| ${values.map((value) => value.replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |`;
}
