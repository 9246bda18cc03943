import type { Pairing } from '@unsay/auth/authorization-server';
import { SCOPES } from './domain/care-partition.ts';
import { DEMONSTRATION_SUBJECT } from './domain/demonstration-plan.ts';
import type { OpenFolder } from './open-folder.ts';
import { offerPage, type Page } from './pairing-pages.ts';
import type { Settings } from './settings/settings.ts';

const PAGES: readonly Page[] = ['landing', 'device', 'console'];

/** What a person reads when the server has started: what runs, and what to do next. */
export async function startUpText(running: {
  readonly folder: OpenFolder;
  readonly settings: Settings;
  readonly pairing: Pairing;
  readonly publicUrl: string;
  /** Null where there are none. */
  readonly metricsPort: number | null;
}): Promise<string[]> {
  const { folder, settings, pairing, publicUrl, metricsPort } = running;
  const minted = await folder.issuer().mint({
    sub: 'guest',
    clientId: 'unsay-start',
    scopes: [SCOPES.readUser],
    subjects: [DEMONSTRATION_SUBJECT],
    ttlSeconds: 3600,
  });
  if (minted.kind === 'refused') throw new Error(`the first token was refused: ${minted.fault}`);
  const clock =
    settings.clock === null
      ? []
      : [`CLOCK: all time comes from UNSAY_CLOCK (${settings.clock}). For tests and proofs only.`];
  const { listeners, accounts } = folder;
  const addresses = await Promise.all(
    PAGES.map(async (page) => {
      const address = await offerPage({ pairing, accounts, listeners, publicUrl }, page);
      return `  ${page.padEnd(8)} ${address}`;
    }),
  );
  return [
    `Unsay: store ${folder.storeName} (durable), ${sealing(folder)}, eras 2026-07-28 and 2025-11-25, ${metricsAt(metricsPort)}`,
    ...clock,
    '',
    'Open (each code works once, within 10 minutes):',
    ...addresses,
    '',
    `  MCP      ${publicUrl}/mcp`,
    `  token    ${minted.token}`,
    `           (one hour, ${SCOPES.readUser} for ${DEMONSTRATION_SUBJECT})`,
    '',
    'For a coding agent:',
    `  claude mcp add --transport http unsay ${publicUrl}/mcp --header "Authorization: Bearer ${minted.token}"`,
    '',
    'Stop with Ctrl-C.',
  ];
}

function metricsAt(port: number | null): string {
  return port === null ? 'no metrics' : `metrics at http://127.0.0.1:${port}/metrics`;
}

function sealing({ sealedBy: { provider, keyId } }: OpenFolder): string {
  return provider === 'none' ? 'facts stored as PLAINTEXT' : `facts sealed by ${provider} key ${keyId}`;
}
