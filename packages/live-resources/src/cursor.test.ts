import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createCursorCodec } from './cursor.ts';

const codec = createCursorCodec(new Uint8Array(32).fill(1));
const ray = { sub: 'ray-phone', clientId: 'phone' };

const contents = fc.string({ unit: 'binary' });
// Well-formed or not: a name comes from a token, and JSON can carry any UTF-16.
const names = fc
  .array(
    fc.oneof(fc.integer({ min: 0, max: 0xffff }), fc.constantFrom(0x22, 0x2c, 0x3a, 0x3b, 0xd800, 0xdc00)),
  )
  .map((units) => String.fromCharCode(...units));
const holders = fc.record({ sub: names, clientId: names });

describe('a cursor', () => {
  it('opens to what was sealed', () => {
    fc.assert(
      fc.property(names, holders, contents, (purpose, holder, content) => {
        expect(codec.open(purpose, holder, codec.seal(purpose, holder, content))).toBe(content);
      }),
    );
  });

  it('is the same token for the same content, from every codec over the same secret', () => {
    const another = createCursorCodec(new Uint8Array(32).fill(1));
    fc.assert(
      fc.property(names, holders, contents, (purpose, holder, content) => {
        const token = codec.seal(purpose, holder, content);
        expect(codec.seal(purpose, holder, content)).toBe(token);
        expect(another.seal(purpose, holder, content)).toBe(token);
      }),
    );
  });

  it('is another token, and never the same nonce, for anything else', () => {
    const cases = fc.tuple(names, holders, contents);
    fc.assert(
      fc.property(cases, cases, (one, other) => {
        fc.pre(JSON.stringify(one) !== JSON.stringify(other));
        const nonce = (token: string): string => token.slice(0, 16);
        expect(nonce(codec.seal(...one))).not.toBe(nonce(codec.seal(...other)));
      }),
    );
  });

  it('has a nonce of its own for the same content in other hands', () => {
    const contexts = fc.tuple(names, holders);
    fc.assert(
      fc.property(contexts, contexts, contents, (one, other, content) => {
        fc.pre(JSON.stringify(one) !== JSON.stringify(other));
        const nonce = (token: string): string => token.slice(0, 16);
        expect(nonce(codec.seal(...one, content))).not.toBe(nonce(codec.seal(...other, content)));
      }),
    );
  });

  it('is text that needs no escaping in a URL or in JSON', () => {
    fc.assert(
      fc.property(contents, (content) => {
        expect(codec.seal('changes', ray, content)).toMatch(/^[A-Za-z0-9_-]+$/);
      }),
    );
  });

  it('shows nothing of what it holds', () => {
    const content = JSON.stringify([['user/ray', 7]]);
    const token = codec.seal('changes', ray, content);
    expect(Buffer.from(token, 'base64url').toString('latin1')).not.toContain('ray');
    expect(token).not.toBe(codec.seal('changes', ray, JSON.stringify([['user/ray', 8]])));
  });
});

describe('a cursor does not open', () => {
  const token = codec.seal('changes', ray, 'seen');

  it('for another purpose, person or client', () => {
    expect(codec.open('list', ray, token)).toBeNull();
    expect(codec.open('changes', { ...ray, sub: 'eve-phone' }, token)).toBeNull();
    expect(codec.open('changes', { ...ray, clientId: 'watch' }, token)).toBeNull();
    expect(codec.open('changes', ray, token)).toBe('seen');
  });

  it('for any other holder or purpose at all', () => {
    fc.assert(
      fc.property(names, holders, names, holders, (purpose, holder, otherPurpose, other) => {
        const same =
          purpose === otherPurpose && holder.sub === other.sub && holder.clientId === other.clientId;
        const opened = codec.open(otherPurpose, other, codec.seal(purpose, holder, 'seen'));
        expect(opened).toBe(same ? 'seen' : null);
      }),
    );
  });

  it('for a holder whose names are the same once they are put together', () => {
    fc.assert(
      fc.property(names, fc.nat(), fc.nat(), fc.nat(), fc.nat(), (text, ...cuts) => {
        const at = cuts.map((cut) => cut % (text.length + 1));
        const split = (a = 0, b = 0): [string, { sub: string; clientId: string }] => {
          const [first, last] = [Math.min(a, b), Math.max(a, b)];
          return [text.slice(0, first), { sub: text.slice(first, last), clientId: text.slice(last) }];
        };
        const [one, other] = [split(at[0], at[1]), split(at[2], at[3])];
        fc.pre(JSON.stringify(one) !== JSON.stringify(other));
        expect(codec.open(...other, codec.seal(...one, 'seen'))).toBeNull();
      }),
    );
  });

  it('for names that carry the separators of others', () => {
    const sealed = codec.seal('changes', { sub: 'a","b', clientId: 'c' }, 'seen');
    expect(codec.open('changes', { sub: 'a', clientId: 'b","c' }, sealed)).toBeNull();
    const surrogate = codec.seal('changes', { sub: '\ud800', clientId: 'c' }, 'seen');
    expect(codec.open('changes', { sub: '\ud801', clientId: 'c' }, surrogate)).toBeNull();
    expect(codec.open('changes', { sub: '\ufffd', clientId: 'c' }, surrogate)).toBeNull();
  });

  it('under another secret', () => {
    expect(createCursorCodec(new Uint8Array(32).fill(2)).open('changes', ray, token)).toBeNull();
  });

  it('with any single bit turned', () => {
    const bytes = Buffer.from(token, 'base64url');
    const turned = Array.from({ length: bytes.length * 8 }, (_, bit) => {
      const copy = Buffer.from(bytes);
      copy[bit >> 3] = (copy[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      return copy.toString('base64url');
    });
    expect(turned).toHaveLength(256);
    expect(turned.map((changed) => codec.open('changes', ray, changed))).toEqual(turned.map(() => null));
  });

  it('with any one character exchanged, the free bits of the last one included', () => {
    const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    for (const content of ['', 'a', 'ab', 'abc']) {
      const sealed = codec.seal('changes', ray, content);
      const others = [...sealed].flatMap((was, at) =>
        [...digits]
          .filter((digit) => digit !== was)
          .map((digit) => sealed.slice(0, at) + digit + sealed.slice(at + 1)),
      );
      expect(others).toHaveLength(sealed.length * 63);
      expect(others.filter((other) => codec.open('changes', ray, other) !== null)).toEqual([]);
    }
  });

  it('in another encoding of the same bytes', () => {
    // Contents are tried until the two alphabets differ and the padding is not empty.
    const sealed = Array.from({ length: 64 }, (_, n) => codec.seal('changes', ray, 'x'.repeat(n)));
    const spellings = sealed.flatMap((is) => {
      const standard = Buffer.from(is, 'base64url').toString('base64');
      const hex = Buffer.from(is, 'base64url').toString('hex');
      const padded = is.padEnd(Math.ceil(is.length / 4) * 4, '=');
      return [
        standard,
        padded,
        hex,
        `${is}=`,
        `${is}\n`,
        ` ${is}`,
        `${is} `,
        `${is}A`,
        `${is.slice(0, 9)}\n${is.slice(9)}`,
      ].filter((other) => other !== is);
    });
    expect(spellings.length).toBeGreaterThan(64 * 7);
    expect(spellings.filter((other) => codec.open('changes', ray, other) !== null)).toEqual([]);
  });

  it('cut off anywhere', () => {
    const cut = Array.from({ length: token.length }, (_, length) => token.slice(0, length));
    expect(cut.map((part) => codec.open('changes', ray, part))).toEqual(cut.map(() => null));
  });

  it('when it was never issued', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: 'binary' }),
          fc.base64String(),
          fc.uint8Array({ maxLength: 80 }).map((bytes) => Buffer.from(bytes).toString('base64url')),
        ),
        (text) => {
          expect(codec.open('changes', ray, text)).toBeNull();
        },
      ),
    );
    expect(codec.open('changes', ray, 'A'.repeat(10_000_000))).toBeNull();
  });

  it('when it is put together from two others', () => {
    const other = codec.seal('changes', ray, 'heed');
    for (let at = 1; at < token.length; at += 1) {
      const mixed = token.slice(0, at) + other.slice(at);
      if (mixed !== token && mixed !== other) expect(codec.open('changes', ray, mixed)).toBeNull();
    }
    expect(token).toHaveLength(other.length);
  });
});

it.each([0, 16, 31, 33])('a cursor secret of %i bytes is refused', (length) => {
  expect(() => createCursorCodec(new Uint8Array(length))).toThrow('a cursor secret has 32 bytes');
});
