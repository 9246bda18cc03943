import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect: () => void = runInNewContext('gc');

/** Frees what nothing holds, so that what is left can be measured. */
export function collectGarbage(): void {
  collect();
  collect();
}
