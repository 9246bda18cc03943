import { closeSync, openSync, readFileSync, readSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

const PAGE = 4096;

/** Where the sealed bytes of a version stand in the file of a store. */
export interface Place {
  readonly version: number;
  readonly offset: number;
}

/** The places of a subject's versions, in the order in which they were written. The store must be closed. */
export function placesIn(data: string, subject: string): readonly Place[] {
  const file = join(data, 'unsay.db');
  const bytes = readFileSync(file);
  const database = new DatabaseSync(file, { readOnly: true });
  const rows = database
    .prepare('SELECT version, ciphertext FROM versions WHERE subject = ? ORDER BY position')
    .all(subject);
  database.close();
  return rows.map(({ version, ciphertext }) => {
    const offset = bytes.indexOf(ciphertext as Uint8Array);
    if (offset < 0) throw new Error('the bytes of a version are in more than one piece');
    return { version: Number(version), offset };
  });
}

/** Inverts a bit in the middle of a version's bytes, in the file itself. */
export function flip(data: string, { offset }: Place): void {
  change(data, offset + 20, 1, (bytes) => bytes.fill((bytes[0] ?? 0) ^ 1));
}

/** Overwrites the whole page that a version is in. */
export function overwritePage(data: string, { offset }: Place): void {
  change(data, offset - (offset % PAGE), PAGE, (bytes) => bytes.fill(0xff));
}

function change(data: string, offset: number, length: number, how: (bytes: Buffer) => Buffer): void {
  const file = openSync(join(data, 'unsay.db'), 'r+');
  try {
    const bytes = Buffer.alloc(length);
    readSync(file, bytes, 0, length, offset);
    writeSync(file, how(bytes), 0, length, offset);
  } finally {
    closeSync(file);
  }
}
