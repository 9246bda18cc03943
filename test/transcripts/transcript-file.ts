import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../harness/running-server.ts';

/** A value of a transcript: placeholders stand in angle brackets. */
export type Kept = string | number | boolean | null | readonly Kept[] | { readonly [key: string]: Kept };

/** A request of a client, and what it was answered. */
export interface Step {
  readonly method: string;
  readonly path: string;
  readonly query?: { readonly [key: string]: Kept };
  readonly headers: { readonly [name: string]: string };
  readonly body?: Kept;
  readonly answer: {
    readonly status: number;
    readonly body: 'json' | 'stream' | 'html' | 'text' | 'none';
    readonly outcome: 'result' | 'error' | 'message' | 'none';
    readonly code: number | null;
    readonly fields: readonly string[];
  };
}

/** What one client did. */
export interface Transcript {
  readonly client: string;
  readonly version: string;
  readonly date: string;
  readonly origin: 'captured' | 'reconstructed';
  readonly phase: 'open' | 'auth';
  readonly era: 'legacy' | 'modern' | 'both' | null;
  readonly oddities: readonly string[];
  readonly steps: readonly Step[];
}

/** A file of conformance/transcripts. */
export interface TranscriptFile {
  readonly file: string;
  /** The package and its version; for a reconstructed one, where it was reported. */
  readonly program: string;
  readonly transcripts: readonly Transcript[];
}

const FOLDER = join(ROOT, 'conformance/transcripts');

/** Every file of transcripts. */
export function readTranscripts(): readonly TranscriptFile[] {
  return readdirSync(FOLDER)
    .filter((file) => file.endsWith('.json'))
    .sort()
    .map((file) => ({ file, ...JSON.parse(readFileSync(join(FOLDER, file), 'utf8')) }));
}
