/** The words that may be stored as they came. Everything that is not among them is replaced. */

const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

/** The facts, the tool, the prompt and the event that the probe serves; Unsay's demonstration has the same. */
export const SERVED_URIS: readonly string[] = [
  'care://ray/exercises',
  'care://ray/gait',
  'care://ray/weight_bearing',
  'care://ray/wound',
];
export const SERVED_NAMES = words('whats_changed brief_carer correction');

export const HTTP_METHODS = words('GET POST DELETE PUT PATCH HEAD OPTIONS');

export const RPC_METHODS = words(`
  initialize ping server/discover
  notifications/initialized notifications/cancelled notifications/progress notifications/roots/list_changed
  resources/list resources/templates/list resources/read resources/subscribe resources/unsubscribe
  subscriptions/listen prompts/list prompts/get tools/list tools/call completion/complete logging/setLevel
  events/list events/poll events/stream events/subscribe tasks/list tasks/get tasks/result tasks/cancel
`);

const WELL_KNOWN = '/.well-known';
const DISCOVERY = ['oauth-protected-resource', 'oauth-authorization-server', 'openid-configuration'];

/** Addresses at which clients are known to look, for an endpoint at `/mcp`. */
export const PATHS: ReadonlySet<string> = new Set([
  ...['/', '/mcp', '/mcp/', '/sse', '/messages', '/favicon.ico', '/robots.txt'],
  ...['/register', '/authorize', '/token', '/revoke', '/jwks'],
  ...DISCOVERY.flatMap((name) => [
    `${WELL_KNOWN}/${name}`,
    `${WELL_KNOWN}/${name}/mcp`,
    `${WELL_KNOWN}/${name}/mcp/`,
    `/mcp${WELL_KNOWN}/${name}`,
  ]),
]);

/** Headers whose value says nothing that matters, or must not be kept: only that they were there. */
export const PRESENT_HEADERS = words(`
  accept-encoding accept-language baggage cache-control connection content-length content-encoding cookie dnt
  expect forwarded if-match if-none-match if-modified-since keep-alive origin pragma priority
  proxy-authorization referer sec-fetch-dest sec-fetch-mode sec-fetch-site sec-ch-ua sec-ch-ua-mobile
  sec-ch-ua-platform te traceparent tracestate transfer-encoding upgrade upgrade-insecure-requests via
  x-api-key x-forwarded-for x-forwarded-host x-forwarded-proto x-request-id last-event-id mcp-session-id
`);

export const MEDIA_TYPES = words(`
  */* application/* application/json text/event-stream text/html text/plain application/xhtml+xml application/xml
  application/x-www-form-urlencoded application/problem+json application/octet-stream multipart/form-data
`);

const IO = 'io.modelcontextprotocol';

/** Keys of messages and documents. A key that is not here is kept as a placeholder. */
export const KEYS = words(`
  jsonrpc id method params result error code message data
  _meta progressToken protocolVersion capabilities clientInfo name title version websiteUrl icons description
  src mimeType sizes instructions serverInfo
  uri uris ref type argument value context arguments cursor level requestId reason progress total
  notifications resourceSubscriptions resourcesListChanged toolsListChanged promptsListChanged
  roots sampling elicitation experimental extensions tasks listChanged form url tools requests list cancel create
  subject since after inputResponses requestState maxAgeMs
  ${IO}/protocolVersion ${IO}/clientCapabilities ${IO}/clientInfo ${IO}/logLevel ${IO}/ui ${IO}/tasks ${IO}/skills
  ${IO}/events mimeTypes
  client_id client_name client_uri client_secret logo_uri scope contacts tos_uri policy_uri jwks jwks_uri software_id
  software_version software_statement redirect_uris redirect_uri grant_types grant_type response_types
  response_type token_endpoint_auth_method application_type code_challenge code_challenge_method code_verifier
  state nonce resource prompt refresh_token access_token token token_type_hint assertion client_assertion
  client_assertion_type iss
`);

/** Fields of answers. */
export const FIELDS = words(`
  protocolVersion capabilities serverInfo instructions resources resourceTemplates contents prompts messages
  tools content structuredContent isError completion nextCursor _meta resultType ttlMs cacheScope
  supportedVersions events cursor truncated hasMore description method params
`);

/** Values that are words of a protocol. */
export const VALUES = words(`
  2.0 ref/prompt ref/resource text/html;profile=mcp-app debug info notice warning error critical alert emergency
  authorization_code refresh_token client_credentials implicit
  urn:ietf:params:oauth:grant-type:device_code urn:ietf:params:oauth:grant-type:jwt-bearer
  code token none client_secret_basic client_secret_post private_key_jwt native web S256 plain consent login
  access_token care.read.user care.read.assistant care.write care.speak care.audit offline_access openid profile email
  ray subject
`);
