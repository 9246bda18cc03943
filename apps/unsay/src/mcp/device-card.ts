import type { JsonObject, StaticResource } from '@unsay/mcp';

/** Where a host finds the card of `whats_changed`. */
export const CARD_URI = 'ui://unsay/device';

/** The identifier of the MCP Apps extension (SEP-1865, 2026-01-26). */
export const APPS_EXTENSION = 'io.modelcontextprotocol/ui';

const MEDIA_TYPE = 'text/html;profile=mcp-app';

/** What the card needs of its sandbox: no origin to load from, none to ask, and no permission. */
const ABOUT: JsonObject = {
  ui: { csp: { connectDomains: [], resourceDomains: [] }, prefersBorder: true },
};

/**
 * The device as a card that a host shows in a sandbox (SEP-1865, "UI Resource Format"). Its bytes hold no fact: what
 * it shows it asks for through its host, with the rights of its host.
 */
export function deviceCard(html: string): StaticResource {
  const about = { uri: CARD_URI, mimeType: MEDIA_TYPE, _meta: ABOUT };
  return {
    entry: {
      ...about,
      name: 'device',
      title: 'Device',
      description: 'A device that says what may be spoken, stops when it is corrected and takes it back.',
      size: Buffer.byteLength(html),
    },
    content: { ...about, text: html },
    listed: true,
  };
}
