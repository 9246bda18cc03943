/** One setting: its environment variable names it, the flag follows from it. */
export interface SettingRow {
  readonly env: string;
  readonly value: 'text' | 'count' | 'list';
  readonly fallback: string;
  readonly secret?: true;
  readonly what: string;
}

/** Every setting of this release. `UNSAY_PAGE_SIZE` is also `--page-size`. */
export const SETTINGS = {
  host: { env: 'UNSAY_HOST', value: 'text', fallback: '127.0.0.1', what: 'address to listen on' },
  port: {
    env: 'UNSAY_PORT',
    value: 'count',
    fallback: '8787',
    what: 'port to listen on; 0 takes a free one',
  },
  publicUrl: {
    env: 'UNSAY_PUBLIC_URL',
    value: 'text',
    fallback: '',
    what: 'address that clients use; names the issuer and audience of tokens',
  },
  data: { env: 'UNSAY_DATA', value: 'text', fallback: './data', what: 'data folder' },
  databaseUrl: {
    env: 'UNSAY_DATABASE_URL',
    value: 'text',
    fallback: '',
    secret: true,
    what: 'PostgreSQL database that any number of servers share, instead of a store in the data folder',
  },
  keyProvider: {
    env: 'UNSAY_KEY_PROVIDER',
    value: 'text',
    fallback: 'local',
    what: 'who wraps the keys that facts are sealed with: local, or none to store PLAINTEXT',
  },
  masterKey: {
    env: 'UNSAY_MASTER_KEY',
    value: 'text',
    fallback: '',
    secret: true,
    what: 'master key of the local provider, 64 hex digits; made at random and kept in the data folder when not given',
  },
  writeSecret: {
    env: 'UNSAY_WRITE_SECRET',
    value: 'text',
    fallback: '',
    secret: true,
    what: 'secret of the system writer, 32 bytes or more; made at random when not given',
  },
  auditLog: {
    env: 'UNSAY_AUDIT_LOG',
    value: 'text',
    fallback: '',
    what: 'also append audit rows to this file, one JSON object a line',
  },
  authServer: {
    env: 'UNSAY_AUTH_SERVER',
    value: 'text',
    fallback: '',
    what: 'outside issuer whose tokens count; people then sign in there and not here',
  },
  authClientId: {
    env: 'UNSAY_AUTH_CLIENT_ID',
    value: 'text',
    fallback: '',
    what: 'with UNSAY_AUTH_SERVER: the client id to ask it about opaque tokens with (RFC 7662)',
  },
  authClientSecret: {
    env: 'UNSAY_AUTH_CLIENT_SECRET',
    value: 'text',
    fallback: '',
    secret: true,
    what: 'with UNSAY_AUTH_CLIENT_ID: its secret',
  },
  oidcIssuer: {
    env: 'UNSAY_OIDC_ISSUER',
    value: 'text',
    fallback: '',
    what: 'OpenID provider that people may sign in at, beside passkeys',
  },
  oidcClientId: {
    env: 'UNSAY_OIDC_CLIENT_ID',
    value: 'text',
    fallback: '',
    what: 'with UNSAY_OIDC_ISSUER: the client id of this server there',
  },
  oidcClientSecret: {
    env: 'UNSAY_OIDC_CLIENT_SECRET',
    value: 'text',
    fallback: '',
    secret: true,
    what: 'with UNSAY_OIDC_ISSUER: its secret, where it has one',
  },
  privateClientHosts: {
    env: 'UNSAY_PRIVATE_CLIENT_HOSTS',
    value: 'list',
    fallback: '',
    what: 'names of an intranet whose client documents may be fetched from private addresses, separated by commas',
  },
  allowedOrigins: {
    env: 'UNSAY_ALLOWED_ORIGINS',
    value: 'list',
    fallback: '',
    what: 'further web origins that may call, separated by commas',
  },
  metricsPort: {
    env: 'UNSAY_METRICS_PORT',
    value: 'text',
    fallback: '9464',
    what: 'port of the metrics on 127.0.0.1; 0 takes a free one, none opens none; by default also a free one where 9464 is taken',
  },
  log: {
    env: 'UNSAY_LOG',
    value: 'text',
    fallback: 'faults',
    what: 'what standard error gets, one JSON object a line: faults, or requests for these too',
  },
  seed: {
    env: 'UNSAY_SEED',
    value: 'text',
    fallback: 'demo',
    what: 'what an empty store is filled with: demo or none',
  },
  clock: {
    env: 'UNSAY_CLOCK',
    value: 'text',
    fallback: '',
    what: 'an ISO instant, or file:PATH; for tests and proofs only',
  },
  pageSize: {
    env: 'UNSAY_PAGE_SIZE',
    value: 'count',
    fallback: '3',
    what: 'entries of one page of resources/list',
  },
  bodyLimit: {
    env: 'UNSAY_BODY_LIMIT',
    value: 'count',
    fallback: '262144',
    what: 'largest request body in bytes',
  },
  blobLimit: {
    env: 'UNSAY_BLOB_LIMIT',
    value: 'count',
    fallback: '131072',
    what: 'most bytes of a blob, after decoding; 0 takes none',
  },
  heartbeatSeconds: {
    env: 'UNSAY_HEARTBEAT_SECONDS',
    value: 'count',
    fallback: '5',
    what: 'seconds between signs of life on an open stream',
  },
  replayLimit: {
    env: 'UNSAY_REPLAY_LIMIT',
    value: 'count',
    fallback: '2048',
    what: 'changes that a client which lost its stream is told of one by one',
  },
  streamsPerPrincipal: {
    env: 'UNSAY_STREAMS_PER_PRINCIPAL',
    value: 'count',
    fallback: '64',
    what: 'open streams of one principal',
  },
  requestsPerSecond: {
    env: 'UNSAY_REQUESTS_PER_SECOND',
    value: 'count',
    fallback: '200',
    what: 'requests of one principal in any second',
  },
  writesPerMinute: {
    env: 'UNSAY_WRITES_PER_MINUTE',
    value: 'count',
    fallback: '60',
    what: 'attempts to write of one principal in any minute',
  },
  failedAuthPerMinute: {
    env: 'UNSAY_FAILED_AUTH_PER_MINUTE',
    value: 'count',
    fallback: '60',
    what: 'credentials that were not accepted from one address in any minute',
  },
} as const satisfies Record<string, SettingRow>;

/** The name of a setting in the program. */
export type SettingName = keyof typeof SETTINGS;

/** Settings of the contract that this release does not act on yet; given, they are named in a warning. */
export const WITHOUT_EFFECT: readonly string[] = [
  'UNSAY_KMS_KEY_ID',
  'UNSAY_KMS_REGION',
  'UNSAY_KMS_ENDPOINT',
  'UNSAY_LEASE_SECONDS',
  'UNSAY_ESCALATE_SECONDS',
  'UNSAY_CHECKPOINT_SECONDS',
];
