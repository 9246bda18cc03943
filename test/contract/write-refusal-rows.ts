import { type SignedWrite, signed, writeBody } from '../harness/signed-write.ts';

/** A fact of the demonstration. */
export const URI = 'care://ray/weight_bearing';

/** Bytes of the sender that must appear in no answer and no log. */
export const MARK = 'zzz-attacker-bytes-zzz';

/** The tokens that rows send, by whose they are. */
export const tokens: Record<string, string> = {};

/** One write that is refused, and how. */
export interface RefusalRow {
  readonly name: string;
  readonly write: () => SignedWrite | Promise<SignedWrite>;
  readonly status: number;
  readonly code: string;
  readonly via: string;
  /** Whether the audit may name the URI: only once the writer is known and the URI was parsed. */
  readonly uri?: string;
}

/** A body that would be published. */
export const good = (value = MARK): string => writeBody(URI, value, { authorId: MARK });
/** A write with one of the tokens. */
export const bearer = (token: string, body = good()): SignedWrite => {
  return {
    body,
    headers: { 'content-type': 'application/json', authorization: `Bearer ${tokens[token] ?? token}` },
  };
};
const patched = (write: SignedWrite, headers: Record<string, string>): SignedWrite => {
  return { body: write.body, headers: { ...write.headers, ...headers } };
};
const without = ({ body, headers }: SignedWrite, name: string): SignedWrite => {
  return { body, headers: Object.fromEntries(Object.entries(headers).filter(([key]) => key !== name)) };
};
const withBlob = (blob: unknown, more: object = {}): SignedWrite =>
  signed(writeBody(URI, MARK, { blob, ...more }));
/** A quoted hash of one digit. */
export const hash = (digit: string): string => `"${digit.repeat(64)}"`;

/** Every refusal of the contract that one request can show. */
export const REFUSALS: readonly RefusalRow[] = [
  {
    name: 'unsigned',
    write: () => ({ body: good(), headers: { 'content-type': 'application/json' } }),
    status: 401,
    code: 'unsigned',
    via: 'none',
  },
  {
    name: 'a signature without its timestamp',
    write: () => without(signed(good()), 'x-unsay-timestamp'),
    status: 401,
    code: 'unsigned',
    via: 'hmac',
  },
  {
    name: 'edited after signing',
    write: () => ({ ...signed(writeBody(URI, 'before')), body: good() }),
    status: 401,
    code: 'bad_signature',
    via: 'hmac',
  },
  {
    name: 'if-match stripped',
    write: () => without(signed(good(), { ifMatch: hash('a') }), 'if-match'),
    status: 401,
    code: 'bad_signature',
    via: 'hmac',
  },
  {
    name: 'if-match added',
    write: () => patched(signed(good()), { 'if-match': hash('a') }),
    status: 401,
    code: 'bad_signature',
    via: 'hmac',
  },
  {
    name: 'if-match changed',
    write: () => patched(signed(good(), { ifMatch: hash('a') }), { 'if-match': hash('b') }),
    status: 401,
    code: 'bad_signature',
    via: 'hmac',
  },
  {
    name: 'timestamp changed',
    write: () => patched(signed(good()), { 'x-unsay-timestamp': '1700000000' }),
    status: 401,
    code: 'bad_signature',
    via: 'hmac',
  },
  {
    name: 'old timestamp',
    write: () => signed(good(), { at: Date.now() - 302_000 }),
    status: 401,
    code: 'stale_timestamp',
    via: 'hmac',
  },
  {
    name: 'timestamp ahead',
    write: () => signed(good(), { at: Date.now() + 302_000 }),
    status: 401,
    code: 'stale_timestamp',
    via: 'hmac',
  },
  {
    name: 'wrong secret',
    write: () => signed(good(), { secret: 'another secret that is just as long as ours' }),
    status: 401,
    code: 'bad_signature',
    via: 'hmac',
  },
  {
    name: 'two signatures in one header',
    write: () => {
      const write = signed(good());
      return patched(write, {
        'x-unsay-signature': `${write.headers['x-unsay-signature']}, v1=${'0'.repeat(64)}`,
      });
    },
    status: 400,
    code: 'malformed',
    via: 'hmac',
  },
  {
    name: 'two credentials',
    write: () => patched(signed(good()), { authorization: `Bearer ${tokens.writer}` }),
    status: 400,
    code: 'malformed',
    via: 'none',
  },
  {
    name: 'truncated JSON',
    write: () => signed(good().slice(0, -1)),
    status: 400,
    code: 'malformed',
    via: 'hmac',
  },
  {
    name: 'duplicate keys',
    write: () => signed(`{"uri":"${URI}","value":"a","value":"${MARK}","authorId":"x"}`),
    status: 400,
    code: 'malformed',
    via: 'hmac',
  },
  {
    name: 'duplicate keys by escape',
    write: () => signed(`{"uri":"${URI}","value":"a","val\\u0075e":"${MARK}","authorId":"x"}`),
    status: 400,
    code: 'malformed',
    via: 'hmac',
  },
  { name: 'an array', write: () => signed(`[${good()}]`), status: 400, code: 'malformed', via: 'hmac' },
  {
    name: 'an unknown member',
    write: () => signed(writeBody(URI, MARK, { audience: 'user' })),
    status: 400,
    code: 'malformed',
    via: 'hmac',
  },
  {
    name: 'a value that is no string',
    write: () => signed(`{"uri":"${URI}","value":7,"authorId":"x"}`),
    status: 400,
    code: 'malformed',
    via: 'hmac',
  },
  {
    name: 'an empty value',
    write: () => signed(writeBody(URI, '')),
    status: 400,
    code: 'malformed',
    via: 'hmac',
  },
  {
    name: 'a lone surrogate',
    write: () => signed(`{"uri":"${URI}","value":"\\ud800","authorId":"x"}`),
    status: 400,
    code: 'malformed',
    via: 'hmac',
  },
  {
    name: 'an unknown scheme',
    write: () => signed(writeBody(`${MARK}://ray/weight_bearing`, 'x')),
    status: 400,
    code: 'malformed',
    via: 'hmac',
  },
  {
    name: 'another spelling of the URI',
    write: () => signed(writeBody('CARE://ray/weight_bearing', 'x')),
    status: 400,
    code: 'malformed',
    via: 'hmac',
  },
  {
    name: 'a URI with a version',
    write: () => signed(writeBody(`${URI}/v1`, 'x')),
    status: 400,
    code: 'malformed',
    via: 'hmac',
  },
  {
    name: 'a time without a zone',
    write: () => signed(writeBody(URI, 'x', { staleAfter: '2026-12-01T10:00:00' })),
    status: 400,
    code: 'malformed',
    via: 'hmac',
  },
  {
    name: 'if-match that is no hash',
    write: () => signed(good(), { ifMatch: '*' }),
    status: 400,
    code: 'malformed',
    via: 'hmac',
  },
  {
    name: 'a wrong media type',
    write: () => patched(signed(good()), { 'content-type': 'text/plain' }),
    status: 415,
    code: 'unsupported_media_type',
    via: 'none',
  },
  {
    name: 'a compressed body',
    write: () => patched(signed(good()), { 'content-encoding': 'gzip' }),
    status: 415,
    code: 'unsupported_media_type',
    via: 'none',
  },
  {
    name: 'a body over the limit',
    write: () => signed(good(MARK.repeat(13_000))),
    status: 413,
    code: 'body_too_large',
    via: 'none',
  },
  {
    name: 'a blob over the ceiling',
    write: () => withBlob({ mediaType: 'audio/wav', base64: Buffer.alloc(131_073, MARK).toString('base64') }),
    status: 413,
    code: 'body_too_large',
    via: 'hmac',
    uri: URI,
  },
  ...(
    [
      ['a blob whose base64 has no padding', { mediaType: 'audio/wav', base64: 'AAH+/w' }],
      ['a blob whose base64 has spare bits set', { mediaType: 'audio/wav', base64: 'AAH+/x==' }],
      ['a blob whose base64 is no base64', { mediaType: 'audio/wav', base64: MARK }],
      ['a blob without bytes', { mediaType: 'audio/wav', base64: '' }],
      ['a blob whose media type has a parameter', { mediaType: `audio/wav;x=${MARK}`, base64: 'AAH+' }],
      ['a blob whose media type is in upper case', { mediaType: 'Audio/WAV', base64: 'AAH+' }],
      ['a blob without a media type', { base64: 'AAH+' }],
      ['a blob with another member', { mediaType: 'audio/wav', base64: 'AAH+', name: MARK }],
      ['a blob that is a string', MARK],
      ['a blob that is null', null],
      ['a blob that is a list', ['audio/wav', 'AAH+']],
    ] as const
  ).map(
    ([name, blob]): RefusalRow => ({
      name,
      write: () => withBlob(blob),
      status: 400,
      code: 'malformed',
      via: 'hmac',
    }),
  ),
  {
    name: 'a withdrawal with a blob',
    write: () => withBlob({ mediaType: 'audio/wav', base64: 'AAH+' }, { value: undefined, withdraw: true }),
    status: 400,
    code: 'malformed',
    via: 'hmac',
  },
  {
    name: 'a foreign Origin',
    write: () => patched(signed(good()), { origin: 'https://evil.example' }),
    status: 403,
    code: 'origin_refused',
    via: 'none',
  },
  {
    name: 'the Origin null',
    write: () => patched(signed(good()), { origin: 'null' }),
    status: 403,
    code: 'origin_refused',
    via: 'none',
  },
  {
    name: 'an audience change',
    write: () => signed(writeBody('care://ray/risk', MARK)),
    status: 409,
    code: 'store_rejected',
    via: 'hmac',
    uri: 'care://ray/risk',
  },
  {
    name: 'an audience change the other way',
    write: () => signed(writeBody('care-internal://ray/weight_bearing', MARK)),
    status: 409,
    code: 'store_rejected',
    via: 'hmac',
    uri: 'care-internal://ray/weight_bearing',
  },
  {
    name: 'a head that moved',
    write: () => signed(good(), { ifMatch: hash('0') }),
    status: 409,
    code: 'head_moved',
    via: 'hmac',
    uri: URI,
  },
  {
    name: 'if-match on an absent fact',
    write: () => signed(writeBody('care://ray/nothing-here', MARK), { ifMatch: hash('0') }),
    status: 409,
    code: 'head_moved',
    via: 'hmac',
    uri: 'care://ray/nothing-here',
  },
  {
    name: 'a token that is none',
    write: () => bearer(MARK),
    status: 401,
    code: 'bad_signature',
    via: 'bearer',
  },
  {
    name: 'a token without the write scope',
    write: () => bearer('reader'),
    status: 403,
    code: 'insufficient_scope',
    via: 'bearer',
  },
  {
    name: 'a writer without both read scopes',
    write: () => bearer('half writer'),
    status: 404,
    code: 'not_found',
    via: 'bearer',
    uri: URI,
  },
  {
    name: 'a writer of another subject',
    write: () => bearer('stranger'),
    status: 404,
    code: 'not_found',
    via: 'bearer',
    uri: URI,
  },
];
