import { readFileSync } from 'node:fs';
import type { ClipName } from './domain/demonstration-plan.ts';

/** The bytes of a clip of the demonstration plan: a WAV file, synthesized by `npm run fixtures`. */
export function readClip(name: ClipName): Uint8Array {
  return readFileSync(new URL(`./domain/clips/${name}.wav`, import.meta.url));
}
