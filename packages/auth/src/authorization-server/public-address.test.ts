import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isPublicAddress } from './public-address.ts';

describe('an address is public', () => {
  it.each(['1.1.1.1', '8.8.8.8', '93.184.216.34', '172.32.0.1', '100.128.0.1', '192.0.1.1', '198.20.0.1'])(
    '%s',
    (address) => {
      expect(isPublicAddress(address)).toBe(true);
    },
  );

  it.each(['2606:4700::1111', '2a00:1450:4001::1', '2001:4860:4860::8888', '2001:200::1', '3ffe::1'])(
    '%s',
    (address) => {
      expect(isPublicAddress(address)).toBe(true);
    },
  );
});

describe('an address is not public', () => {
  it.each([
    '0.0.0.0',
    '10.0.0.1',
    '100.64.0.1',
    '127.0.0.1',
    '127.255.255.254',
    '169.254.169.254',
    '172.16.0.1',
    '172.31.255.255',
    '192.0.0.8',
    '192.0.2.1',
    '192.88.99.1',
    '192.168.1.1',
    '198.18.0.1',
    '198.51.100.1',
    '203.0.113.1',
    '224.0.0.1',
    '255.255.255.255',
  ])('%s', (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });

  it.each([
    '::',
    '::1',
    '::7f00:1',
    '::127.0.0.1',
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '::ffff:8.8.8.8',
    '0:0:0:0:0:ffff:a00:1',
    '::ffff:0:127.0.0.1',
    '64:ff9b::7f00:1',
    '64:ff9b::127.0.0.1',
    '64:ff9b:1::1',
    '100::1',
    '2001::1',
    '2001:0:53aa:64c::1',
    '2001:db8::1',
    '2002:7f00:1::',
    '2002:a00:1::1',
    '2620:4f:8000::1',
    '3fff::1',
    '5f00::1',
    'fc00::1',
    'fd12:3456::1',
    'fe80::1',
    'fe80::1%eth0',
    '2606:4700::1111%eth0',
    'fec0::1',
    'ff02::1',
  ])('%s', (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });

  it.each([
    '',
    'localhost',
    '127.1',
    '0x7f000001',
    '2130706433',
    '0177.0.0.1',
    '1.1.1.1 ',
    '1.1.1.1:443',
    '[::1]',
  ])('%j, which is none as resolvers give them', (text) => {
    expect(isPublicAddress(text)).toBe(false);
  });
});

const octet = fc.integer({ min: 0, max: 255 });
const ipv4 = fc.tuple(octet, octet, octet, octet).map((octets) => octets.join('.'));
const hextet = fc.integer({ min: 0, max: 0xffff });

it('carries no IPv4 address in itself, in whatever form', () => {
  const inside = ipv4.map((address) => {
    const [a = 0, b = 0, c = 0, d = 0] = address.split('.').map(Number);
    return [(a << 8) | b, (c << 8) | d].map((part) => part.toString(16)).join(':');
  });
  const forms = fc.oneof(
    inside.map((text) => `::${text}`),
    inside.map((text) => `::ffff:${text}`),
    inside.map((text) => `0:0:0:0:ffff:0:${text}`),
    inside.map((text) => `64:ff9b::${text}`),
    inside.map((text) => `64:ff9b:1::${text}`),
    inside.map((text) => `2002:${text}::1`),
    inside.map((text) => `2001:0:${text}::1`),
    ipv4.map((address) => `::ffff:${address}`),
  );
  fc.assert(
    fc.property(forms, (address) => {
      expect(isPublicAddress(address)).toBe(false);
    }),
  );
});

it('does not depend on how an IPv6 address is written', () => {
  fc.assert(
    fc.property(fc.array(hextet, { minLength: 8, maxLength: 8 }), (hextets) => {
      const full = hextets.map((part) => part.toString(16).padStart(4, '0')).join(':');
      const short = new URL(`https://[${full}]/`).hostname.slice(1, -1);
      expect(isPublicAddress(full.toUpperCase())).toBe(isPublicAddress(short));
    }),
  );
});

it('of IPv6 is in 2000::/3', () => {
  fc.assert(
    fc.property(fc.array(hextet, { minLength: 8, maxLength: 8 }), ([first = 0, ...rest]) => {
      const address = [first, ...rest].map((part) => part.toString(16)).join(':');
      expect(isPublicAddress(address) && first >> 13 !== 1).toBe(false);
    }),
  );
});

it('of IPv4 is outside of every special block, counted another way', () => {
  const isSpecial = ([a = 0, b = 0, c = 0]: readonly number[]): boolean =>
    a === 0 ||
    a === 10 ||
    a === 127 ||
    a >= 224 ||
    (a === 100 && b >= 64 && b < 128) ||
    (a === 169 && b === 254) ||
    (a === 172 && b >= 16 && b < 32) ||
    (a === 192 && b === 0 && (c === 0 || c === 2)) ||
    (a === 192 && b === 31 && c === 196) ||
    (a === 192 && b === 52 && c === 193) ||
    (a === 192 && b === 88 && c === 99) ||
    (a === 192 && b === 168) ||
    (a === 192 && b === 175 && c === 48) ||
    (a === 198 && (b === 18 || b === 19)) ||
    (a === 198 && b === 51 && c === 100) ||
    (a === 203 && b === 0 && c === 113);
  const near = fc.constantFrom(0, 10, 100, 127, 169, 172, 192, 198, 203, 223, 224, 255);
  const octets = fc.tuple(
    fc.oneof(near, octet),
    fc.oneof(octet, fc.constantFrom(0, 51, 88, 168)),
    octet,
    octet,
  );
  fc.assert(
    fc.property(octets, (parts) => {
      expect(isPublicAddress(parts.join('.'))).toBe(!isSpecial(parts));
    }),
    { numRuns: 1000 },
  );
});
