import { holds } from './story.ts';
import { FACT } from './world.ts';

/** A fact's chain as `/verify` shows it. */
export interface Chain {
  readonly uri: string;
  readonly intact: boolean;
  readonly versions: readonly { readonly version: number; readonly versionHash: string }[];
}

/** Every chain that anyone may verify without a token. */
export async function chainsOf(url: string): Promise<readonly Chain[]> {
  const response = await fetch(`${url}/verify?subject=ray`);
  holds(response.status === 200, `/verify answered ${response.status}`);
  return ((await response.json()) as { readonly chains: readonly Chain[] }).chains;
}

/** The chain of the story's fact. */
export async function chainOf(url: string): Promise<Chain> {
  const chain = (await chainsOf(url)).find(({ uri }) => uri === FACT);
  holds(chain !== undefined, `/verify shows no chain of ${FACT}`);
  return chain;
}
