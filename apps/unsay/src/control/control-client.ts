import { type ClientRequest, request } from 'node:http';
import type { OperationResult, Parameters } from '../operations/operation.ts';
import { withSocketPath } from './socket-path.ts';

/** Runs an operation on the server that owns the folder; null when no server runs there. */
export async function callControl(
  folder: string,
  name: string,
  parameters: Parameters,
): Promise<OperationResult | null> {
  try {
    return await new Promise((resolve, reject) => {
      const sent = withSocketPath(folder, (socketPath) => post(socketPath, name, parameters));
      sent.once('error', reject);
      sent.once('response', (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (chunk: string) => {
          text += chunk;
        });
        response.once('error', reject);
        response.once('end', () => resolve(JSON.parse(text) as OperationResult));
      });
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
