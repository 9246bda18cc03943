/** Whether a secret stands in a text: as it is, escaped, in hex, in base64 at any offset, or in percent-encoding. */
export function standsIn(text: string, secret: string): boolean {
  const plain = Buffer.from(secret);
  const spellings = [
    secret,
    JSON.stringify(secret).slice(1, -1),
    encodeURIComponent(secret),
    plain.toString('hex'),
    ...[0, 1, 2].flatMap((offset) => {
      const whole = Buffer.concat([Buffer.alloc(offset), plain])
        .toString('base64')
        .replaceAll('=', '');
      const inside = whole.slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + plain.length) * 8) / 6));
      return [inside, inside.replaceAll('+', '-').replaceAll('/', '_')];
    }),
  ];
  const folded = text.toLowerCase();
  return spellings.some((spelling) => folded.includes(spelling.toLowerCase()));
}
