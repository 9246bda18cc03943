import type { IncomingMessage } from 'node:http';

/**
 * Every value of a header, in the order sent: `headers` joins or drops all but the first. The name is in lower case.
 * The same as `headersDistinct`, which takes all headers apart for the few that are asked for.
 */
export function headerValues({ rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>, name: string): string[] {
  const values: string[] = [];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const [sent = '', value = ''] = [rawHeaders[at], rawHeaders[at + 1]];
    if (sent.length === name.length && sent.toLowerCase() === name) values.push(value);
  }
  return values;
}
