import { createTokens } from './access/tokens.ts';
import type { GitHubOptions } from './git/github-repository.ts';
import { type OpenParts, openParts } from './open-parts.ts';
import type { PressParts } from './press.ts';

/** What only the machine can give. */
export interface Machine {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly draw: (length: number) => Uint8Array;
}

/** An open data folder with its tokens. */
export type OpenPress = OpenParts & Pick<PressParts, 'tokens'>;

/** Opens a data folder, making what is missing in it; the posts may be on GitHub. */
export async function openPress(
  folder: string,
  machine: Machine,
  gitHub: GitHubOptions | null = null,
): Promise<OpenPress> {
  const parts = await openParts(folder, machine.now, gitHub);
  return { ...parts, tokens: createTokens(parts.database, machine) };
}
