import { createReadStream } from 'node:fs';
import type { Report } from '@unsay/verifier';
import { type OperationResult, refusal } from '../operations/operation.ts';
import { asTyped } from '../settings/as-typed.ts';
import { verifyAddress } from '../verify-address.ts';
import { type Command, type Invocation, option, UsageError } from './command.ts';
import { operate, report } from './operate.ts';

/** `unsay verify`: the store, an export of one, or what a server says of its chains. */
export const VERIFY_COMMAND: Command = {
  usage: 'verify [--export FILE | --url URL [--token TOKEN]]',
  what: 'replay every chain of the store, of an export, or of what a server shows; exit 1 when one is not intact',
  words: 0,
  options: { export: true, url: true, token: true },
  async run(invocation) {
    const [file, url] = [option(invocation, 'export'), option(invocation, 'url')];
    const token = option(invocation, 'token');
    if (file !== null && url !== null) throw new UsageError('--export and --url do not go together.');
    if (url === null && token !== null) throw new UsageError('--token is for --url.');
    if (file !== null) return await verifyFile(invocation, file);
    const result = url === null ? await operate(invocation, 'verify', {}) : await verifyAddress(url, token);
    return report(invocation, result, inWords);
  },
};

async function verifyFile(invocation: Invocation, file: string): Promise<number> {
  const { reportText, verifyExport } = await import('@unsay/verifier');
  let found: Report;
  try {
    found = await verifyExport(createReadStream(file));
  } catch (error) {
    return report(invocation, unreadable(file, error), () => '');
  }
  const { steps: _steps, ...data } = found;
  // What is wrong with a file can be more than which versions are broken.
  if (invocation.options.json && !found.intact) process.stderr.write(`${reportText(found)}\n`);
  return report(invocation, { ok: found.intact, data }, () => reportText(found));
}

function unreadable(file: string, error: unknown): OperationResult {
  if (!(error instanceof Error && 'syscall' in error)) throw error;
  return refusal(
    `${file} cannot be read (${error.message}).`,
    `Name a file that ${asTyped('export')} wrote.`,
  );
}

/** The verdict in words, each fault first. */
export function inWords({ chains, versions, broken }: Readonly<Record<string, unknown>>): string {
  const faults = (broken as readonly { uri: string; version: number }[]).map(
    ({ uri, version }) => `broken: ${uri} at version ${version}`,
  );
  const verdict = faults.length === 0 ? 'intact' : 'NOT intact';
  return [...faults, `${chains} chains, ${versions} versions, ${verdict}`].join('\n');
}
