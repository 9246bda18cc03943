import { isUpstreamIssuer } from '@unsay/auth/authorization-server';
import { parseInstant } from '@unsay/live-resources';
import { SETTINGS, type SettingName, type SettingRow, WITHOUT_EFFECT } from './setting-table.ts';

/** Where a setting's value came from. */
export type Origin = 'flag' | 'environment' | 'default';

/** One effective setting. */
export interface Effective {
  readonly text: string;
  readonly origin: Origin;
}

/** The effective settings, checked. */
export interface Settings {
  readonly host: string;
  readonly port: number;
  /** Null until the port is known, when it follows from it. */
  readonly publicUrl: string | null;
  readonly data: string;
  /** Null for SQLite in the data folder. */
  readonly databaseUrl: string | null;
  readonly keyProvider: 'local' | 'none';
  /** 64 hex digits, or null for the one kept in the data folder. */
  readonly masterKey: string | null;
  readonly writeSecret: string | null;
  readonly auditLog: string | null;
  /** Null for the embedded authorization server. */
  readonly authServer: string | null;
  /** How the outside issuer is asked about opaque tokens; null when it is not. */
  readonly authClient: ClientCredentials | null;
  /** The provider that people may sign in at; null for none. */
  readonly oidc: OidcProvider | null;
  readonly privateClientHosts: readonly string[];
  readonly allowedOrigins: readonly string[];
  /** Null opens none. */
  readonly metricsPort: MetricsPort | null;
  readonly log: 'faults' | 'requests';
  readonly seed: 'demo' | 'none';
  readonly clock: string | null;
  readonly pageSize: number;
  readonly bodyLimit: number;
  readonly blobLimit: number;
  readonly heartbeatSeconds: number;
  readonly replayLimit: number;
  readonly streamsPerPrincipal: number;
  readonly requestsPerSecond: number;
  readonly writesPerMinute: number;
  readonly failedAuthPerMinute: number;
  readonly effective: Readonly<Record<SettingName, Effective>>;
  readonly warnings: readonly string[];
}

/** What a client shows of itself to an issuer. */
export interface ClientCredentials {
  readonly clientId: string;
  readonly clientSecret: string;
}

/** An OpenID provider, and who this server is there. */
export interface OidcProvider {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string | null;
}

/** Where the metrics are served; `orFree` lets a free port stand in for one that is taken. */
export interface MetricsPort {
  readonly port: number;
  readonly orFree: boolean;
}

/** A master key in text: 32 bytes as hex digits. */
export const MASTER_KEY = /^[0-9a-f]{64}$/i;

/** A setting that cannot be used; the message says which, why, and what to do. */
export class SettingError extends Error {
  override readonly name = 'SettingError';
}

/** The flag of a setting: `UNSAY_PAGE_SIZE` is `page-size`. */
export function flagOf(row: SettingRow): string {
  return row.env.replace('UNSAY_', '').toLowerCase().replaceAll('_', '-');
}

/**
 * Reads settings from flags, then the environment, then defaults.
 *
 * @throws SettingError for a value that cannot be used.
 */
export function readSettings(
  flags: Readonly<Record<string, string | undefined>>,
  environment: Readonly<Record<string, string | undefined>>,
): Settings {
  const effective = Object.fromEntries(
    Object.entries<SettingRow>(SETTINGS).map(([name, row]) => [name, effectiveOf(row, flags, environment)]),
  ) as Record<SettingName, Effective>;
  const text = (name: SettingName): string => effective[name].text;
  const optional = (name: SettingName): string | null => text(name) || null;
  const list = (name: SettingName): string[] =>
    text(name)
      .split(',')
      .map((part) => part.trim())
      .filter(Boolean);
  check(effective);
  return {
    host: text('host'),
    port: count(effective, 'port', 0, 65_535),
    publicUrl: optional('publicUrl')?.replace(/\/+$/, '') ?? null,
    data: text('data'),
    databaseUrl: optional('databaseUrl'),
    keyProvider: text('keyProvider') === 'none' ? 'none' : 'local',
    masterKey: optional('masterKey'),
    writeSecret: optional('writeSecret'),
    auditLog: optional('auditLog'),
    authServer: optional('authServer'),
    authClient: authClientOf(effective),
    oidc: oidcOf(effective),
    privateClientHosts: list('privateClientHosts'),
    allowedOrigins: list('allowedOrigins'),
    metricsPort: metricsPort(effective),
    log: text('log') === 'requests' ? 'requests' : 'faults',
    seed: text('seed') === 'none' ? 'none' : 'demo',
    clock: optional('clock'),
    pageSize: count(effective, 'pageSize', 1, 1000),
    bodyLimit: count(effective, 'bodyLimit', 1024, 16 * 1024 * 1024),
    blobLimit: count(effective, 'blobLimit', 0, 16 * 1024 * 1024),
    heartbeatSeconds: count(effective, 'heartbeatSeconds', 1, 3600),
    replayLimit: count(effective, 'replayLimit', 1, 1_000_000),
    streamsPerPrincipal: count(effective, 'streamsPerPrincipal', 1, 100_000),
    requestsPerSecond: count(effective, 'requestsPerSecond', 1, 1_000_000),
    writesPerMinute: count(effective, 'writesPerMinute', 1, 10_000_000),
    failedAuthPerMinute: count(effective, 'failedAuthPerMinute', 1, 1_000_000),
    effective,
    warnings: WITHOUT_EFFECT.filter((name) => environment[name]).map(
      (name) => `${name} has no effect in this release.`,
    ),
  };
}

function effectiveOf(
  row: SettingRow,
  flags: Readonly<Record<string, string | undefined>>,
  environment: Readonly<Record<string, string | undefined>>,
): Effective {
  const flag = flags[flagOf(row)];
  if (flag !== undefined) return { text: flag, origin: 'flag' };
  const variable = environment[row.env];
  if (variable !== undefined && variable !== '') return { text: variable, origin: 'environment' };
  return { text: row.fallback, origin: 'default' };
}

function count(
  effective: Record<SettingName, Effective>,
  name: SettingName,
  least: number,
  most: number,
): number {
  const { text } = effective[name];
  const number = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (number >= least && number <= most) return number;
  throw new SettingError(`${SETTINGS[name].env} must be a whole number from ${least} to ${most}.`);
}

function authClientOf(effective: Record<SettingName, Effective>): ClientCredentials | null {
  const [clientId, clientSecret] = [effective.authClientId.text, effective.authClientSecret.text];
  if (clientId === '' && clientSecret === '') return null;
  if (clientId !== '' && clientSecret !== '' && effective.authServer.text !== '')
    return { clientId, clientSecret };
  throw new SettingError(
    'UNSAY_AUTH_CLIENT_ID and UNSAY_AUTH_CLIENT_SECRET belong together and to UNSAY_AUTH_SERVER. Set all three, or neither of the two.',
  );
}

function oidcOf(effective: Record<SettingName, Effective>): OidcProvider | null {
  const [issuer, clientId, secret] = [
    effective.oidcIssuer.text,
    effective.oidcClientId.text,
    effective.oidcClientSecret.text,
  ];
  if (issuer === '' && clientId === '' && secret === '') return null;
  if (issuer === '' || clientId === '')
    throw new SettingError(
      'UNSAY_OIDC_ISSUER and UNSAY_OIDC_CLIENT_ID belong together. Set both, or neither.',
    );
  checkIssuer('UNSAY_OIDC_ISSUER', issuer);
  return { issuer, clientId, clientSecret: secret === '' ? null : secret };
}

function checkIssuer(env: string, text: string): void {
  if (isUpstreamIssuer(text)) return;
  throw new SettingError(`${env} must be an issuer’s address like https://login.example.org, over https.`);
}

function metricsPort(effective: Record<SettingName, Effective>): MetricsPort | null {
  const { text, origin } = effective.metricsPort;
  if (text === 'none') return null;
  return { port: count(effective, 'metricsPort', 0, 65_535), orFree: origin === 'default' };
}

function check(effective: Record<SettingName, Effective>): void {
  const { keyProvider, masterKey, writeSecret, publicUrl, seed, clock, allowedOrigins } = effective;
  checkKeys(keyProvider.text, masterKey.text);
  if (effective.databaseUrl.text !== '')
    checkDatabase(effective.databaseUrl.text, keyProvider.text, masterKey.text);
  const { authServer } = effective;
  if (authServer.text !== '') checkIssuer('UNSAY_AUTH_SERVER', authServer.text);
  if (writeSecret.text !== '' && Buffer.byteLength(writeSecret.text) < 32) {
    throw new SettingError(
      'UNSAY_WRITE_SECRET must have 32 bytes or more. Unset it to have one made at random.',
    );
  }
  if (publicUrl.text !== '' && !isOrigin(publicUrl.text.replace(/\/+$/, ''))) {
    throw new SettingError(
      'UNSAY_PUBLIC_URL must be an address like https://unsay.example.org, with no path.',
    );
  }
  for (const origin of allowedOrigins.text.split(',').map((part) => part.trim())) {
    if (origin !== '' && !isOrigin(origin)) {
      throw new SettingError(
        'UNSAY_ALLOWED_ORIGINS must list origins like https://app.example.org, separated by commas.',
      );
    }
  }
  if (!['faults', 'requests'].includes(effective.log.text))
    throw new SettingError('UNSAY_LOG must be faults or requests.');
  if (seed.text !== 'demo' && seed.text !== 'none')
    throw new SettingError('UNSAY_SEED must be demo or none.');
  if (clock.text !== '' && !clock.text.startsWith('file:') && parseInstant(clock.text) === null) {
    throw new SettingError(
      'UNSAY_CLOCK must be an ISO instant with a zone, like 2026-12-01T09:00:00Z, or file:PATH.',
    );
  }
}

function checkKeys(keyProvider: string, masterKey: string): void {
  if (keyProvider === 'kms') {
    throw new SettingError(
      'UNSAY_KEY_PROVIDER: kms is not in this release, and nothing else takes its place. Set it to local, or to none to store PLAINTEXT.',
    );
  }
  if (keyProvider !== 'local' && keyProvider !== 'none') {
    throw new SettingError('UNSAY_KEY_PROVIDER must be local, or none to store PLAINTEXT.');
  }
  if (masterKey === '') return;
  if (!MASTER_KEY.test(masterKey)) {
    throw new SettingError('UNSAY_MASTER_KEY must be 64 hex digits. Unset it to have one made at random.');
  }
  if (keyProvider === 'none') {
    throw new SettingError(
      'UNSAY_MASTER_KEY is set and UNSAY_KEY_PROVIDER is none, so nothing would be sealed. Unset one of them.',
    );
  }
}

// A key that one server made for itself opens nothing on the next.
function checkDatabase(url: string, keyProvider: string, masterKey: string): void {
  if (!URL.canParse(url) || !/^postgres(ql)?:$/.test(new URL(url).protocol)) {
    throw new SettingError(
      'UNSAY_DATABASE_URL must be the address of a PostgreSQL database, like postgres://user:password@host:5432/unsay.',
    );
  }
  if (keyProvider === 'none') {
    throw new SettingError(
      'UNSAY_DATABASE_URL is set and UNSAY_KEY_PROVIDER is none: keys that servers share are never stored in clear. Set it to local, and UNSAY_MASTER_KEY to the same 64 hex digits on every server.',
    );
  }
  if (masterKey === '') {
    throw new SettingError(
      'UNSAY_DATABASE_URL is set and UNSAY_MASTER_KEY is not: every server of a database needs the same key. Set it to 64 hex digits, such as those of `openssl rand -hex 32`, on each of them.',
    );
  }
}

function isOrigin(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol) && new URL(text).origin === text;
}
