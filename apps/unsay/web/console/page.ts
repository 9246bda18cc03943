import type { ConnectionState } from '../live/connection.ts';
import { maySpeak, topicOf } from '../live/fact.ts';
import { mcpSessions } from '../live/mcp-session.ts';
import { signInOf } from '../live/page-sign-in.ts';
import { ConnectionView } from '../page/connection-view.ts';
import { byId, element } from '../page/element.ts';
import { type FollowedFacts, followFacts } from '../page/follow-facts.ts';
import { browserScheduler, every } from '../page/scheduler.ts';
import { Editor } from './editor.ts';
import { FactsView } from './facts-view.ts';
import { HistoryView } from './history-view.ts';
import { PasskeyPanel } from './passkey-panel.ts';
import { type Previewed, preview } from './preview.ts';
import { type Published, publish, type WriteBody } from './publish.ts';

const pairing = signInOf('unsay.console.token', {
  clientId: 'unsay-console',
  scope: 'care.read.user care.read.assistant care.write care.audit',
});
const FOLLOWED = /^care(-internal)?:\/\//;

const connectionView = new ConnectionView({
  label: byId('connection-label'),
  notice: byId('connection-notice'),
  page: 'console',
  retry: () => facts.connection.retryNow(),
  signIn: () => pairing.signIn(),
});
const passkeyPanel = new PasskeyPanel({
  panel: byId('passkey'),
  access: () => pairing.access(),
  send: (input, init) => fetch(input, init),
});
const factsView = new FactsView({
  edit(uri) {
    const fact = reader.fact(uri);
    if (fact !== null) editor.open(fact);
  },
  history(uri) {
    const fact = reader.fact(uri);
    if (fact !== null) historyView.open(fact);
  },
});

const facts: FollowedFacts = followFacts({
  open: mcpSessions('unsay-console'),
  pairing,
  follows: (uri) => FOLLOWED.test(uri),
  events: {
    suspect: render,
    confirmed(fact) {
      editor.meet(fact);
      historyView.meet(fact);
      render();
    },
    unconfirmed: render,
    absent: render,
    detached: render,
    state(state: ConnectionState) {
      connectionView.show(state);
      passkeyPanel.show(state.status === 'live');
      render();
    },
  },
});
const { reader, connection } = facts;

const historyView = new HistoryView({
  readVersion: (uri, version) => facts.readVersion(uri, version),
  now: () => facts.serverNow(),
  closed: (uri) => factsView.focus(uri, 'history'),
});
const editor = new Editor({
  publish: send,
  preview: ask,
  now: () => facts.serverNow(),
  scheduler: browserScheduler,
  async readHead(uri) {
    await reader.refresh(uri);
    return reader.standing(uri) === 'confirmed' ? reader.fact(uri) : null;
  },
  published: showOutcome,
  closed: (uri) => factsView.focus(uri, 'edit'),
});

const NOT_SENT = {
  unreachable: {
    status: 503,
    code: 'not_ready',
    detail: 'The server does not answer, so nothing was sent. What you typed is kept here.',
    next: 'Try again in a moment.',
  },
  unpaired: {
    status: 401,
    code: 'unsigned',
    detail: 'This page is not paired any more, so nothing was sent. What you typed is kept here.',
    next: 'Copy it, run “npm run --silent unsay -- pair console”, and open the address that it prints.',
  },
} as const;

async function send(body: WriteBody, ifMatch: string): Promise<Published> {
  const access = await pairing.access();
  if (access.kind === 'token') {
    return publish(body, { token: access.token, ifMatch, send: (input, init) => fetch(input, init) });
  }
  return {
    kind: 'refused',
    problem: access.kind === 'unreachable' ? NOT_SENT.unreachable : NOT_SENT.unpaired,
  };
}

async function ask(body: WriteBody, ifMatch: string): Promise<Previewed> {
  const access = await pairing.access();
  if (access.kind === 'unreachable') return { kind: 'none', why: 'The server does not answer.' };
  if (access.kind !== 'token') return { kind: 'none', why: 'This page is not paired any more.' };
  return preview(body, { token: access.token, ifMatch, send: (input, init) => fetch(input, init) });
}

function showOutcome(sent: WriteBody, { version, subscribers }: Published & { kind: 'published' }): void {
  const { uri } = sent;
  const devices = `Delivered to ${subscribers} open ${subscribers === 1 ? 'device' : 'devices'}`;
  const told = maySpeak(uri) ? devices : `${devices}: this fact is never spoken`;
  byId('outcome').replaceChildren(
    element(
      'p',
      {},
      `${topicOf(uri)}: ${'withdraw' in sent ? 'withdrawn' : `version ${version} is published`}.`,
    ),
    element(
      'p',
      {
        'data-testid': 'delivered',
        'data-count': String(subscribers),
        'data-version': String(version),
        'data-uri': uri,
      },
      `${told}.`,
    ),
  );
  // The announcement reaches this page too; reading now does not wait for it.
  void reader.refresh(uri);
}

function render(): void {
  factsView.show(reader.facts(), ({ uri }) => ({
    standing: reader.standing(uri),
    live: connection.state.status === 'live',
    now: facts.serverNow(),
  }));
}

every(browserScheduler, 15_000, render);
connection.start();
