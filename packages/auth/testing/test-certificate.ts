import { type KeyObject, sign } from 'node:crypto';

const ECDSA_WITH_SHA256 = der(0x30, der(0x06, Buffer.from('2a8648ce3d040302', 'hex')));
const NAME = der(
  0x30,
  der(0x31, der(0x30, der(0x06, Buffer.from('550403', 'hex')), der(0x0c, Buffer.from('test')))),
);

/** A self-signed X.509 certificate on P-256 without extensions, as DER (RFC 5280, section 4.1). */
export function createTestCertificate({
  publicKey,
  privateKey,
}: Record<'publicKey' | 'privateKey', KeyObject>): Buffer {
  const validity = der(
    0x30,
    der(0x17, Buffer.from('200101000000Z')),
    der(0x17, Buffer.from('490101000000Z')),
  );
  const version = der(0xa0, der(0x02, Buffer.from([2])));
  const serial = der(0x02, Buffer.from([1]));
  const key = publicKey.export({ type: 'spki', format: 'der' });
  const told = der(0x30, version, serial, ECDSA_WITH_SHA256, NAME, validity, NAME, key);
  return der(0x30, told, ECDSA_WITH_SHA256, der(0x03, Buffer.from([0]), sign('sha256', told, privateKey)));
}

function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}
