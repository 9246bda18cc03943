import { BlockList, isIP } from 'node:net';

/** Special-purpose blocks of the IANA IPv4 registry, and multicast and class E. */
const SPECIAL_IPV4: readonly (readonly [string, number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.31.196.0', 24],
  ['192.52.193.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['192.175.48.0', 24],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
];

/**
 * Global unicast is the only part of IPv6 that is assigned to the public. Whatever carries an IPv4 address is outside of
 * it (mapped ::ffff:0:0/96, compatible ::/96, NAT64 64:ff9b::/96 and 64:ff9b:1::/48) or named below.
 */
const GLOBAL_IPV6: readonly [string, number] = ['2000::', 3];
const SPECIAL_IPV6: readonly (readonly [string, number])[] = [
  // Protocol assignments, Teredo and ORCHID among them.
  ['2001::', 23],
  // Documentation.
  ['2001:db8::', 32],
  ['3fff::', 20],
  // 6to4.
  ['2002::', 16],
  // AS112.
  ['2620:4f:8000::', 48],
];

const special = new BlockList();
for (const [net, prefix] of SPECIAL_IPV4) special.addSubnet(net, prefix, 'ipv4');
for (const [net, prefix] of SPECIAL_IPV6) special.addSubnet(net, prefix, 'ipv6');
const globalUnicast = new BlockList();
globalUnicast.addSubnet(...GLOBAL_IPV6, 'ipv6');

/** Whether the text is an IP address, in the form that resolvers give, at which only the public can be met. */
export function isPublicAddress(address: string): boolean {
  switch (isIP(address)) {
    case 4:
      return !special.check(address, 'ipv4');
    case 6:
      return (
        !address.includes('%') && globalUnicast.check(address, 'ipv6') && !special.check(address, 'ipv6')
      );
    default:
      return false;
  }
}
