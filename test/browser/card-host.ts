/// <reference lib="dom" />
import { fileURLToPath } from 'node:url';
import type { BrowserContext, Frame, Page } from 'playwright-core';
import { build } from 'vite';
import type { RunningServer } from '../harness/running-server.ts';
import { recordDocument } from './leak-scan.ts';

/** Where the host of a card is: an origin that the server has to allow. */
export const HOST_ORIGIN = 'http://host.localhost:8080';

/** A host puts what it does not trust on an origin of its own (SEP-1865, "Sandbox proxy"). */
const SANDBOX_URL = 'http://sandbox.localhost:8080/';

/** What the specification has a host enforce for a card that asks for no origin. A frame inherits it. */
const SANDBOX_POLICY =
  "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; " +
  "img-src 'self' data:; media-src 'self' data:; connect-src 'none'; base-uri 'self'; object-src 'none'";

const SANDBOX_PAGE = `<!doctype html><html lang="en"><head><title>Sandbox</title>
<style>html, body, iframe { margin: 0; border: 0; width: 100%; height: 100%; display: block }</style></head><body><script>
const ready = 'ui/notifications/sandbox-proxy-ready', resource = 'ui/notifications/sandbox-resource-ready';
const card = document.createElement('iframe');
card.title = 'Card';
card.sandbox.add('allow-scripts');
addEventListener('message', ({ source, data }) => {
  if (source === card.contentWindow) parent.postMessage(data, '*');
  else if (source === parent && data.method === resource) {
    card.srcdoc = data.params.html;
    document.body.append(card);
  } else if (source === parent) card.contentWindow?.postMessage(data, '*');
});
parent.postMessage({ jsonrpc: '2.0', method: ready, params: {} }, '*');
</script></body></html>`;

const HOST_PAGE = `<!doctype html><html lang="en"><head><title>Host</title>
<style>body { margin: 1rem; font-family: sans-serif } iframe { width: 100%; height: 60rem; border: 1px solid #888 }</style>
</head><body><h1>A host</h1><script src="/host.js"></script></body></html>`;

/** A request of a card to its host. */
export interface CardRequest {
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** A card in a host. */
export interface HostedCard {
  readonly page: Page;
  readonly card: Frame;
  /** What the card has asked its host. */
  requests(): Promise<readonly CardRequest[]>;
}

let script: Promise<string> | undefined;

/** Shows the card in a host that has this token. Every state of every document is kept. */
export async function hostCard(
  context: BrowserContext,
  server: RunningServer,
  token: string,
): Promise<HostedCard> {
  script ??= hostScript();
  const body = await script;
  const page = await context.newPage();
  await recordDocument(page);
  await page.route(`${HOST_ORIGIN}/host.js`, (route) =>
    route.fulfill({ body, contentType: 'text/javascript' }),
  );
  await page.route(`${HOST_ORIGIN}/`, (route) =>
    route.fulfill({ body: HOST_PAGE, contentType: 'text/html' }),
  );
  await page.route(SANDBOX_URL, (route) =>
    route.fulfill({
      body: SANDBOX_PAGE,
      contentType: 'text/html',
      headers: { 'content-security-policy': SANDBOX_POLICY },
    }),
  );
  await page.goto(`${HOST_ORIGIN}/`);
  await page.evaluate(([url, secret, sandbox]) => window.showCard(url, secret, sandbox), [
    `${server.url}/mcp`,
    token,
    SANDBOX_URL,
  ] as const);
  const card = page.frames().find((frame) => frame.url() === 'about:srcdoc');
  if (card === undefined) throw new Error('the sandbox shows no card');
  await card.locator('body[data-connection=live]').waitFor();
  return {
    page,
    card,
    requests: () =>
      page.evaluate(() =>
        (window.fromCard as { id?: unknown; method?: string; params?: object }[]).flatMap(
          ({ id, method, params }) =>
            id === undefined || method === undefined ? [] : [{ method, params: { ...params } }],
        ),
      ),
  };
}

/** The host's own script, bundled for a browser. */
async function hostScript(): Promise<string> {
  const built = await build({
    configFile: false,
    logLevel: 'silent',
    build: {
      write: false,
      target: 'es2023',
      lib: {
        entry: fileURLToPath(new URL('card-host-page.ts', import.meta.url)),
        formats: ['iife'],
        name: 'host',
        fileName: 'host',
      },
    },
  });
  const [bundle] = Array.isArray(built) ? built : [];
  const chunk = bundle?.output[0];
  if (chunk === undefined) throw new Error('the host could not be built');
  return chunk.code;
}
