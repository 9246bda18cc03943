import { sha256Base64 } from '../digest.ts';
import { escapeHtml } from './html.ts';

const MAX_DETAIL_LENGTH = 300;
const STYLE =
  'body{font:1.125rem/1.5 system-ui,sans-serif;max-width:36rem;margin:4rem auto;padding:0 1rem;color:#1b1b1b;' +
  'background:#fff}h1{font-size:1.5rem}small{color:#555}@media(prefers-color-scheme:dark){body{color:#eee;' +
  'background:#161616}small{color:#aaa}}';

/** The headers of every error page: it runs nothing, loads nothing and can be framed by nobody. */
export const ERROR_PAGE_HEADERS: Readonly<Record<string, string>> = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': `default-src 'none'; style-src 'sha256-${sha256Base64(STYLE)}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
};

interface Words {
  readonly what: string;
  readonly next: string;
}

const START_AGAIN = 'Go back to the application and start again from there.';
const TELL_THE_MAKER =
  'There is nothing that you can do here. Tell the maker of the application what stands below.';

const WORDS: ReadonlyMap<string, Words> = new Map([
  ['invalid_client', { what: 'The application could not be recognised.', next: TELL_THE_MAKER }],
  [
    'document_unavailable',
    {
      what: 'The document by which the application is known could not be fetched from its address.',
      next: 'Try again in a minute. If it stays so, ask whoever runs this server whether it may reach that address.',
    },
  ],
  [
    'invalid_redirect_uri',
    {
      what: 'The application asked for the answer to be sent to an address that it did not register.',
      next: 'Nothing was sent there. If you did not expect this, close the page. Otherwise tell the maker of the application.',
    },
  ],
  [
    'session_not_found',
    {
      what: 'This sign-in took too long, was finished already, or was begun in another browser.',
      next: START_AGAIN,
    },
  ],
  ['access_denied', { what: 'The application was not allowed in.', next: START_AGAIN }],
  [
    'temporarily_unavailable',
    {
      what: 'The sign-in cannot be finished at the moment.',
      next: 'Nothing was granted. Try again in a minute.',
    },
  ],
  [
    'server_error',
    { what: 'Something went wrong on this server.', next: 'Nothing was granted. Try again in a minute.' },
  ],
]);
const OTHERWISE: Words = {
  what: 'The application asked in a way that is not understood here.',
  next: TELL_THE_MAKER,
};

/** What a person sees when there is nowhere to send the browser on to. */
export function errorPage({
  service,
  code,
  description,
}: {
  /** What people are signing in to. */
  readonly service: string;
  /** An OAuth error code, `session_not_found` or `document_unavailable`. */
  readonly code: string;
  /** For the application's maker; cut when it is long. */
  readonly description: string | undefined;
}): string {
  const { what, next } = WORDS.get(code) ?? OTHERWISE;
  const detail = [code, description].filter((part) => part !== undefined).join(': ');
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Not signed in to ${escapeHtml(service)}</title>
<style>${STYLE}</style>
<h1>You were not signed in to ${escapeHtml(service)}</h1>
<p>${escapeHtml(what)}</p>
<p>${escapeHtml(next)}</p>
<p><small>${escapeHtml(detail.slice(0, MAX_DETAIL_LENGTH))}</small></p>
</html>
`;
}
