import { createCipheriv } from 'node:crypto';

/**
 * One ciphertext with one tag that AES-256-GCM accepts under two keys, for one nonce and one additional data.
 *
 * The tag is a polynomial of the ciphertext's blocks at a point that each key chooses. With one block X, both
 * tags agree when X·H₁² + c₁ = X·H₂² + c₂, which is one linear equation over GF(2¹²⁸) (NIST SP 800-38D,
 * section 6.3, has its multiplication).
 */
export function colliding(
  keys: readonly Buffer[],
  nonce: Uint8Array,
  additional: Uint8Array,
): { readonly ciphertext: Buffer; readonly tag: Buffer } {
  const sides = keys.map((key) => {
    const point = toNumber(encryptBlock(key, Buffer.alloc(16)));
    const mask = toNumber(encryptBlock(key, Buffer.concat([nonce, Buffer.of(0, 0, 0, 1)])));
    const hashed = blocksOf(additional).reduce((sum, block) => multiply(sum ^ block, point), 0n);
    const lengths = (BigInt(additional.length * 8) << 64n) | 128n;
    // GHASH of the additional data, one block X and the lengths: X·H² + hashed·H² + lengths·H.
    const square = multiply(point, point);
    return { square, rest: multiply(hashed, square) ^ multiply(lengths, point) ^ mask };
  });
  const [one, other] = sides;
  if (one === undefined || other === undefined) throw new Error('two keys are needed');
  const block = multiply(one.rest ^ other.rest, inverse(one.square ^ other.square));
  return { ciphertext: toBytes(block), tag: toBytes(multiply(block, one.square) ^ one.rest) };
}

function encryptBlock(key: Buffer, block: Uint8Array): Buffer {
  return createCipheriv('aes-256-ecb', key, null).setAutoPadding(false).update(block);
}

function blocksOf(bytes: Uint8Array): bigint[] {
  const padded = Buffer.concat([bytes, Buffer.alloc((16 - (bytes.length % 16)) % 16)]);
  return Array.from({ length: padded.length / 16 }, (_, at) =>
    toNumber(padded.subarray(at * 16, at * 16 + 16)),
  );
}

// The first bit of a block is the coefficient of x⁰, so multiplying by x shifts to the right.
const REDUCTION = 0xe1n << 120n;

function multiply(one: bigint, other: bigint): bigint {
  let [product, shifted] = [0n, other];
  for (let bit = 127n; bit >= 0n; bit -= 1n) {
    if ((one >> bit) & 1n) product ^= shifted;
    shifted = shifted & 1n ? (shifted >> 1n) ^ REDUCTION : shifted >> 1n;
  }
  return product;
}

/** The power 2¹²⁸ − 2, by Fermat. */
function inverse(element: bigint): bigint {
  let [power, square] = [1n << 127n, element];
  for (let bit = 1; bit < 128; bit += 1) {
    square = multiply(square, square);
    power = multiply(power, square);
  }
  return power;
}

function toNumber(block: Uint8Array): bigint {
  return BigInt(`0x${Buffer.from(block).toString('hex')}`);
}

function toBytes(block: bigint): Buffer {
  return Buffer.from(block.toString(16).padStart(32, '0'), 'hex');
}
