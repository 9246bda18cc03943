import type { PublicKeyCredentialRequestOptionsJSON } from '@simplewebauthn/browser';
import { readProblem } from '../live/problem.ts';
import { byId, element, setText } from '../page/element.ts';
import { shownName, wordsOfProblem, wordsOfRedirect, wordsOfScope } from './words.ts';

/** What the person is asked, as the server says it. */
interface Asked {
  readonly wants: 'sign_in' | 'consent';
  readonly client: {
    readonly name: string;
    readonly host: string;
    readonly redirectHost: string;
    readonly isFirstParty: boolean;
  };
  readonly scopes: readonly string[];
  readonly subjects: readonly string[] | '*';
  readonly person: string | null;
  readonly ways: { readonly passkey: boolean; readonly upstream: string | null };
}

const step = (name: string): string => `${location.pathname.replace(/\/$/, '')}/${name}`;
const main = byId('question');

function post(name: string, body: object): Promise<Response> {
  return fetch(step(name), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
}

/** What is under way: a second press would be a second answer to a question that is answered once. */
let underWay: 'step' | 'passkey' | null = null;

/** Takes a step and goes on to where it leads; says why when it leads nowhere. */
async function take(name: string, body: object): Promise<void> {
  if (underWay === 'step') return;
  underWay = 'step';
  try {
    const response = await post(name, body);
    if (!response.ok) {
      const { detail, next } = await readProblem(response);
      return say(`${detail} ${next}`);
    }
    const { continue: address } = (await response.json()) as { continue: string };
    location.assign(address);
    await gone();
  } catch {
    say('The server does not answer. Try again in a moment.');
  } finally {
    underWay = null;
  }
}

/** Never, unless the browser comes back to the page as it was left. */
function gone(): Promise<void> {
  return new Promise((resolve) => addEventListener('pageshow', () => resolve(), { once: true }));
}

async function usePasskey(): Promise<void> {
  if (underWay !== null) return;
  underWay = 'passkey';
  say('Waiting for your passkey …');
  try {
    const options = await post('passkey-options', {});
    if (!options.ok) return say((await readProblem(options)).detail);
    const { startAuthentication } = await import('@simplewebauthn/browser');
    const optionsJSON = (await options.json()) as PublicKeyCredentialRequestOptionsJSON;
    const response = await startAuthentication({ optionsJSON });
    await take('passkey', { response });
  } catch (error) {
    const stopped = error instanceof Error && error.name === 'NotAllowedError';
    say(stopped ? 'No passkey was used. Try again when you are ready.' : 'That did not work. Try again.');
  } finally {
    if (underWay === 'passkey') underWay = null;
  }
}

function say(text: string): void {
  setText(byId('said'), text);
}

function button(label: string, testId: string, press: () => void): HTMLButtonElement {
  const made = element('button', { type: 'button', 'data-testid': testId }, label);
  made.addEventListener('click', press);
  return made;
}

/** Who asks. Only of its own pages does the server know that they are what they say. */
function whoAsks({ client: { name, host, redirectHost, isFirstParty } }: Asked): Node[] {
  const called = element('bdi', { 'data-testid': 'client-name' }, shownName(name));
  if (isFirstParty) return [element('p', {}, called, ' is a page of this server.')];
  return [
    element('p', {}, called, ' asks. It answers at:'),
    element('p', { class: 'host', 'data-testid': 'client-host' }, element('bdi', {}, host)),
    ...whereItGoes(host, redirectHost),
    element(
      'p',
      { class: 'small' },
      'Unsay cannot check that this really is who it says. Go on only if you started this yourself.',
    ),
  ];
}

function whereItGoes(host: string, redirectHost: string): Node[] {
  const words = wordsOfRedirect(host, redirectHost);
  if (words === null) return [];
  const shown = element(
    'p',
    { class: 'host', 'data-testid': 'redirect-host' },
    element('bdi', {}, redirectHost),
  );
  return [element('p', {}, words), ...(host === redirectHost ? [] : [shown])];
}

function askToSignIn(asked: Asked): void {
  const { upstream } = asked.ways;
  main.replaceChildren(
    element('h1', { tabindex: '-1' }, 'Sign in'),
    ...whoAsks(asked),
    element(
      'div',
      { class: 'choices' },
      button('Use a passkey', 'use-passkey', () => void usePasskey()),
      ...(upstream === null
        ? []
        : [button(`Sign in at ${upstream}`, 'use-upstream', () => void take('upstream', {}))]),
      button('Refuse', 'refuse', () => void take('refuse', {})),
    ),
    element(
      'p',
      { class: 'small' },
      'No passkey here yet? Open the console with the address that the start of the server printed, and add one there.',
    ),
  );
}

function askForConsent(asked: Asked): void {
  const { scopes, subjects, person } = asked;
  const boxes = (subjects === '*' ? [] : subjects).map((subject) =>
    element('input', { type: 'checkbox', value: subject, checked: true, id: `subject-${subject}` }),
  );
  const chosen = (): string[] | '*' =>
    subjects === '*' ? '*' : boxes.filter(({ checked }) => checked).map(({ value }) => value);
  const allow = (): void => {
    if (chosen().length === 0) say('Choose at least one person, or refuse.');
    else void take('allow', { scopes, subjects: chosen() });
  };
  main.replaceChildren(
    element('h1', { tabindex: '-1' }, 'Let it in?'),
    ...whoAsks(asked),
    element('p', {}, 'You are ', element('bdi', {}, person ?? ''), '. It would be able to:'),
    element(
      'ul',
      { 'data-testid': 'scopes' },
      ...scopes.map((scope) => element('li', {}, wordsOfScope(scope))),
    ),
    subjects === '*'
      ? element('p', {}, 'For everyone on this server, also who comes later.')
      : element(
          'fieldset',
          { 'data-testid': 'subjects' },
          element('legend', {}, 'For'),
          ...boxes.map((box) => element('p', {}, box, element('label', { for: box.id }, box.value))),
        ),
    element(
      'div',
      { class: 'choices' },
      button('Allow', 'allow', allow),
      button('Refuse', 'refuse', () => void take('refuse', {})),
    ),
  );
}

function tellOf(title: string, ...sentences: readonly string[]): void {
  main.replaceChildren(
    element('h1', { tabindex: '-1', 'data-testid': 'told' }, title),
    ...sentences.map((sentence) => element('p', {}, sentence)),
  );
}

async function show(): Promise<void> {
  try {
    const response = await fetch(step('state'), { cache: 'no-store' });
    if (!response.ok) {
      const { detail, next } = await readProblem(response);
      return tellOf('There is nothing to sign in to here', detail, next);
    }
    const asked = (await response.json()) as Asked;
    if (asked.wants === 'consent') askForConsent(asked);
    else askToSignIn(asked);
    say(wordsOfProblem(new URLSearchParams(location.search).get('problem')) ?? '');
  } catch {
    tellOf('The server does not answer', 'Load this page again in a moment.');
  }
}

await show();
