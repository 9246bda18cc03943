import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { json } from 'node:stream/consumers';
import type { OperationResult, Parameters } from '../operations/operation.ts';
import { withSocketPath } from './socket-path.ts';

/** Runs an operation on the server that owns the folder; null when no server runs there. */
export async function callControl(
  folder: string,
  name: string,
  parameters: Parameters,
): Promise<OperationResult | null> {
  const answer = await openControl(folder, name, parameters);
  return answer === null ? null : ((await json(answer)) as OperationResult);
}

/** Whether a server runs on the folder. */
export async function isServed(folder: string): Promise<boolean> {
  const answer = await openControl(folder, '', {});
  answer?.resume();
  return answer !== null;
}

/** The answer of the server that owns the folder, as it comes; null when no server runs there. */
export async function openControl(
  folder: string,
  name: string,
  parameters: Parameters,
): Promise<IncomingMessage | null> {
  try {
    return await new Promise((resolve, reject) => {
      const sent = withSocketPath(folder, (socketPath) => post(socketPath, name, parameters));
      sent.once('error', reject);
      sent.once('response', resolve);
    });
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (['ENOENT', 'ECONNREFUSED', 'ENOTDIR'].includes(code)) return null;
    throw error;
  }
}

function post(socketPath: string, name: string, parameters: Parameters): ClientRequest {
  const sent = request({ socketPath, path: `/${name}`, method: 'POST', agent: false });
  sent.end(JSON.stringify(parameters));
  return sent;
}
