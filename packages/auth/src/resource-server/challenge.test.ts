import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { challenge } from './challenge.ts';
import type { TokenFailure } from './verified-token.ts';

const resourceMetadataUrl = 'https://resource.example/.well-known/oauth-protected-resource/mcp';
const metadata = `resource_metadata="${resourceMetadataUrl}"`;

describe('a challenge', () => {
  it('carries no error when no credential came', () => {
    expect(challenge({ resourceMetadataUrl, scopes: ['a', 'b'], failure: 'missing' })).toBe(
      `Bearer scope="a b", ${metadata}`,
    );
  });

  it('says invalid_token of every bad token, and the same of each', () => {
    const failures: TokenFailure[] = [
      'malformed',
      'bad_signature',
      'wrong_algorithm',
      'wrong_type',
      'wrong_issuer',
      'wrong_audience',
      'expired',
      'not_yet_valid',
      'revoked',
      'wrong_scheme',
      'bad_proof',
      'proof_replayed',
    ];
    const said = new Set(
      failures.map((failure) => challenge({ resourceMetadataUrl, scopes: ['a'], failure })),
    );
    expect([...said]).toEqual([
      'Bearer error="invalid_token", error_description="The access token is not valid here", ' +
        `scope="a", ${metadata}`,
    ]);
  });

  it('names the scopes that were lacking', () => {
    expect(challenge({ resourceMetadataUrl, scopes: ['a', 'b'], failure: 'insufficient_scope' })).toBe(
      'Bearer error="insufficient_scope", ' +
        `error_description="The access token lacks the scope this needs", scope="a b", ${metadata}`,
    );
  });

  it('leaves the scope out when none is needed', () => {
    expect(challenge({ resourceMetadataUrl, scopes: [], failure: 'missing' })).toBe(`Bearer ${metadata}`);
  });

  it.each(['a b', 'a"', 'a\\', 'ä', '', 'a\r\nset-cookie: x'])('takes no scope like %j', (scope) => {
    expect(() => challenge({ resourceMetadataUrl, scopes: [scope], failure: 'missing' })).toThrow(TypeError);
  });

  it('can be read back whatever printable text is in it, and takes no other', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.boolean(), (url, isMissing) => {
        const failure = isMissing ? 'missing' : 'expired';
        const make = () => challenge({ resourceMetadataUrl: url, scopes: ['a', 'b'], failure });
        if (!/^[\x20-\x7e]*$/.test(url)) {
          expect(make).toThrow(TypeError);
          return;
        }
        const read = readChallenge(make());
        expect(read.get('resource_metadata')).toBe(url);
        expect(read.get('scope')).toBe('a b');
        expect(read.has('error')).toBe(!isMissing);
      }),
      {
        examples: [
          ['a"b', true],
          ['\\', true],
          ['", error="x', true],
          ['a\r\nb', false],
        ],
      },
    );
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme-ascii' }), (url) => {
        const value = challenge({ resourceMetadataUrl: url, scopes: [], failure: 'missing' });
        expect([...readChallenge(value)]).toEqual([['resource_metadata', url]]);
      }),
    );
  });
});

/** Reads a challenge the way RFC 9110 writes it: parameters with quoted strings, and nothing between. */
function readChallenge(value: string): Map<string, string> {
  const parameters = new Map<string, string>();
  let rest = value.replace(/^Bearer /, ', ');
  while (rest !== '') {
    const match = /^, ([a-z_]+)="((?:[^"\\]|\\.)*)"/.exec(rest);
    if (match === null) throw new Error(`not a parameter: ${rest}`);
    const [whole, name = '', quoted = ''] = match;
    if (parameters.has(name)) throw new Error(`${name} twice`);
    parameters.set(name, quoted.replaceAll(/\\(.)/g, '$1'));
    rest = rest.slice(whole.length);
  }
  return parameters;
}
