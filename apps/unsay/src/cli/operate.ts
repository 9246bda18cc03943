import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { STORE_FILE } from '@unsay/storage';
import { callControl } from '../control/control-client.ts';
import { openFolder } from '../main.ts';
import { OPERATIONS } from '../operations/index.ts';
import { type OperationResult, type Parameters, refusal } from '../operations/operation.ts';
import { EXIT, type Invocation } from './command.ts';

/** Runs an operation on the server that owns the folder, or on the folder itself when none runs. */
export async function operate(
  { settings }: Invocation,
  name: string,
  parameters: Parameters,
): Promise<OperationResult> {
  const answered = await callControl(settings.data, name, parameters);
  if (answered !== null) return answered;
  const operation = OPERATIONS[name];
  if (operation === undefined) throw new Error(`there is no operation ${name}`);
  // Opening would make one, and an empty answer from a folder that was mistyped would look like the truth.
  if (!existsSync(join(settings.data, STORE_FILE))) {
    return refusal(
      `There is no store in ${settings.data}.`,
      'Name its folder with --data, or make one with npm start.',
    );
  }
  const folder = await openFolder(settings);
  try {
    return await operation(folder, parameters);
  } finally {
    folder.close();
  }
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
