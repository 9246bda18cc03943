import { isIPv6 } from 'node:net';

/**
 * What stands for an address where failures are counted. Whoever has one IPv6 address has all of its /64 (RFC 6177), so
 * those count as one; an IPv4 address in IPv6 form is itself. A socket that is gone has none: all those are one too.
 */
export function addressGroup(address: string | undefined): string {
  if (address === undefined || !isIPv6(address)) return address ?? 'none';
  const [plain = ''] = address.split('%');
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(plain)?.[1];
  if (mapped !== undefined) return mapped;
  const [head = '', tail] = plain.split('::');
  const left = head.split(':').filter(Boolean);
  const right = (tail ?? '').split(':').filter(Boolean);
  const zeros =
    tail === undefined ? [] : Array<string>(Math.max(0, 8 - left.length - right.length)).fill('0');
  const groups = [...left, ...zeros, ...right]
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16));
  return `${groups.join(':')}::/64`;
}
