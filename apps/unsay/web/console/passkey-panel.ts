import type { PublicKeyCredentialCreationOptionsJSON } from '@simplewebauthn/browser';
import type { Access } from '../live/pairing.ts';
import { readProblem } from '../live/problem.ts';
import { byId, setText } from '../page/element.ts';

interface Options {
  readonly panel: HTMLElement;
  readonly access: () => Promise<Access>;
  readonly send: typeof fetch;
}

/** What an authenticator ended with, by the names of WebAuthn. */
const STOPPED: Readonly<Record<string, string | undefined>> = {
  NotAllowedError: 'No passkey was made. Nothing was added.',
  InvalidStateError:
    'This device has a passkey for you already. Use “Sign in”, or add one on another device.',
};

/** Adds a passkey for the person whose console this is. */
export class PasskeyPanel {
  readonly #options: Options;

  constructor(options: Options) {
    this.#options = options;
    byId('passkey-form').addEventListener('submit', (event) => {
      event.preventDefault();
      void this.#add();
    });
  }

  show(live: boolean): void {
    this.#options.panel.hidden = !live;
  }

  async #add(): Promise<void> {
    this.#say('Waiting for your passkey …');
    const access = await this.#options.access();
    if (access.kind === 'unreachable')
      return this.#say('The server does not answer. Nothing was added; try again in a moment.');
    if (access.kind !== 'token') return this.#say('This page is not paired any more. Nothing was added.');
    try {
      const options = await this.#post('/passkeys/options', access.token, {});
      if (!options.ok) return this.#say((await readProblem(options)).detail);
      const { startRegistration } = await import('@simplewebauthn/browser');
      const optionsJSON = (await options.json()) as PublicKeyCredentialCreationOptionsJSON;
      const response = await startRegistration({ optionsJSON });
      const label = (byId('passkey-label') as HTMLInputElement).value.trim();
      const added = await this.#post('/passkeys', access.token, { response, label });
      if (added.ok) return this.#say('Added. Use “Sign in” on this page the next time.');
      this.#say((await readProblem(added)).detail);
    } catch (error) {
      this.#say(
        (error instanceof Error ? STOPPED[error.name] : undefined) ?? 'That did not work. Nothing was added.',
      );
    }
  }

  #post(path: string, token: string, body: object): Promise<Response> {
    return this.#options.send(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: JSON.stringify(body),
    });
  }

  #say(text: string): void {
    setText(byId('passkey-said'), text);
  }
}
