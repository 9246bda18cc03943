import { faultOfRedirectUri } from './redirect-uri-rule.ts';

const MAX_REDIRECT_URIS = 20;
const MAX_NAME_LENGTH = 100;

/** What is kept of what a client says of itself. All else is nowhere used, so it is nowhere kept. */
const KEPT = [
  'client_id',
  'client_id_issued_at',
  'client_name',
  'client_secret',
  'client_secret_expires_at',
  'dpop_bound_access_tokens',
  'grant_types',
  'redirect_uris',
  'response_types',
  'token_endpoint_auth_method',
];
const GRANT_TYPES = ['authorization_code', 'refresh_token'];
const RESPONSE_TYPES = ['code'];

// Controls, formats (which can turn the direction of what follows), line and paragraph separators.
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]/gu;

export type ClientMetadataVerdict =
  | { readonly kind: 'accepted'; readonly metadata: Readonly<Record<string, unknown>> }
  /** `description` is for the client's maker. */
  | { readonly kind: 'refused'; readonly description: string };

/**
 * Judges the metadata of a client that is not ours (RFC 7591, section 2): from a registration or from a client
 * metadata document. What is missing or of a wrong type is left for the library to complain of.
 */
export function judgeClientMetadata(given: Readonly<Record<string, unknown>>): ClientMetadataVerdict {
  const metadata: Record<string, unknown> = {};
  for (const name of KEPT) {
    if (given[name] !== undefined) metadata[name] = given[name];
  }
  const { redirect_uris: uris, client_name: name } = metadata;
  if (Array.isArray(uris)) {
    const description = faultOfRedirectUris(uris);
    if (description !== undefined) return { kind: 'refused', description };
  }
  if (typeof name === 'string') {
    const shown = name.replace(INVISIBLE, '').trim().slice(0, MAX_NAME_LENGTH);
    if (shown === '') delete metadata.client_name;
    else metadata.client_name = shown;
  }
  // The library refuses a document that names a method with a secret, so here that is only its default.
  if (
    isDocumentAddress(metadata.client_id) &&
    metadata.token_endpoint_auth_method === 'client_secret_basic'
  ) {
    metadata.token_endpoint_auth_method = 'none';
  }
  // Clients list every way they know; the ones that there are here are enough for them.
  keepOnly(metadata, 'grant_types', GRANT_TYPES);
  keepOnly(metadata, 'response_types', RESPONSE_TYPES);
  // What a client calls itself changes nothing: the rules for redirect URIs are the same for all.
  return {
    kind: 'accepted',
    metadata: { ...metadata, application_type: 'native' },
  };
}

/** Whether the client is known by the address of its metadata document; registered ones get ids that are none. */
export function isDocumentAddress(clientId: unknown): clientId is string {
  return typeof clientId === 'string' && clientId.startsWith('https://');
}

function faultOfRedirectUris(uris: readonly unknown[]): string | undefined {
  if (uris.length > MAX_REDIRECT_URIS) return `redirect_uris must have at most ${MAX_REDIRECT_URIS} members`;
  for (const [index, uri] of uris.entries()) {
    const fault = typeof uri === 'string' ? faultOfRedirectUri(uri) : 'must be text';
    if (fault !== undefined) return `redirect_uris[${index}] ${fault}`;
  }
  return undefined;
}

function keepOnly(metadata: Record<string, unknown>, name: string, known: readonly string[]): void {
  const values = metadata[name];
  if (!Array.isArray(values)) return;
  const kept = values.filter((value) => known.includes(value));
  if (kept.length > 0) metadata[name] = kept;
}
