import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { STORE_FILE } from '@unsay/storage';
import { callControl, openControl } from '../control/control-client.ts';
import { refuseUnfinishedImport } from '../export/import-mark.ts';
import type { OpenFolder } from '../open-folder.ts';
import { type OperationResult, type Parameters, refusal } from '../operations/operation.ts';
import { asTyped } from '../settings/as-typed.ts';
import { EXIT, type Invocation } from './command.ts';

/**
 * Runs an operation on the server that owns the folder, or on the folder itself when none runs. A store that
 * is not there yet is made only for an operation that begins one.
 */
export async function operate(
  invocation: Invocation,
  name: string,
  parameters: Parameters,
  begins = false,
): Promise<OperationResult> {
  const answered = await callControl(invocation.settings.data, name, parameters);
  if (answered !== null) return answered;
  const { OPERATIONS } = await import('../operations/index.ts');
  const operation = OPERATIONS[name];
  if (operation === undefined) throw new Error(`there is no operation ${name}`);
  if (!begins && !hasStore(invocation)) return noStore(invocation);
  return onFolder(invocation, (folder) => {
    if (!begins) refuseUnfinishedImport(folder.meta);
    return operation(folder, parameters);
  });
}

/**
 * Prints what a running server says from now on, each line as `inWords` puts it (null for nothing), and gives
 * the exit code. It ends with the server.
 */
export async function printNews(
  invocation: Invocation,
  name: string,
  inWords: (line: string) => string | null,
): Promise<number> {
  const { data } = invocation.settings;
  const answer = await openControl(data, name, {});
  if (answer === null) {
    return report(
      invocation,
      refusal(`No server runs on ${data}.`, `Start one with ${asTyped('serve')}.`),
      () => '',
    );
  }
  return await print(Readable.from(inWordsOf(answer.setEncoding('utf8'), inWords)));
}

async function* inWordsOf(
  chunks: AsyncIterable<string>,
  inWords: (line: string) => string | null,
): AsyncGenerator<string> {
  let rest = '';
  for await (const chunk of chunks) {
    // At line feeds and nowhere else: a sentence may hold every other line separator.
    const lines = `${rest}${chunk}`.split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const text = inWords(line);
      if (text !== null) yield `${text}\n`;
    }
  }
}

/** Prints the lines of a stream as they come, and gives the exit code. */
export async function printStream(invocation: Invocation, name: string): Promise<number> {
  const answer = await openControl(invocation.settings.data, name, {});
  if (answer !== null) return await print(answer);
  const { STREAMS } = await import('../operations/stream.ts');
  const stream = STREAMS[name];
  if (stream === undefined) throw new Error(`there is no stream ${name}`);
  if (!hasStore(invocation)) return report(invocation, noStore(invocation), () => '');
  const never = new AbortController().signal;
  return onFolder(invocation, (folder) => {
    refuseUnfinishedImport(folder.meta);
    return print(Readable.from(stream(folder, never)));
  });
}

async function print(lines: Readable): Promise<number> {
  try {
    await pipeline(lines, process.stdout, { end: false });
    return EXIT.success;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // Whoever reads may stop early, as `head` does.
    if (code === 'EPIPE') return EXIT.success;
    if (code !== 'ECONNRESET' && code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
    process.stderr.write('The server ended before it had said everything. See what it printed.\n');
    return EXIT.no;
  }
}

async function onFolder<Result>(
  { settings }: Invocation,
  work: (folder: OpenFolder) => Promise<Result>,
): Promise<Result> {
  const { openFolder } = await import('../main.ts');
  const folder = await openFolder(settings);
  try {
    return await work(folder);
  } finally {
    await folder.close();
  }
}

/**
 * Whether there is a store in the folder. Opening would make one, and an empty answer from a folder that was
 * mistyped would look like the truth.
 */
export function hasStore({ settings }: Invocation): boolean {
  return settings.databaseUrl !== null || existsSync(join(settings.data, STORE_FILE));
}

function noStore({ settings }: Invocation): OperationResult {
  return refusal(
    `There is no store in ${settings.data}.`,
    `Name its folder with --data, or make one with ${asTyped('serve')}.`,
  );
}

/** Prints a result, as JSON when asked, and gives the exit code. Refusals go to standard error. */
export function report(
  { options }: Invocation,
  result: OperationResult,
  inWords: (data: Readonly<Record<string, unknown>>) => string,
): number {
  const { error, next } = result.data;
  if (typeof error === 'string') process.stderr.write(`${error} ${String(next)}\n`);
  else process.stdout.write(`${options.json ? JSON.stringify(result.data) : inWords(result.data)}\n`);
  return result.ok ? EXIT.success : EXIT.no;
}
