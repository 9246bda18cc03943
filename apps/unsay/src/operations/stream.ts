import { exportLines } from '../export/export-lines.ts';
import type { OpenFolder } from '../open-folder.ts';
import { watchLines } from './watch-lines.ts';

/** Lines that an operator reads from a data folder as they come, on a running server or a stopped one. */
export type LineStream = (folder: OpenFolder, ended: AbortSignal) => AsyncIterable<string>;

/** Every stream by the name it has on the control socket. Each line ends in a line feed. */
export const STREAMS: Readonly<Record<string, LineStream>> = {
  export: exportLines,
  watch: watchLines,
};
