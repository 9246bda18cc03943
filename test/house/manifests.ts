import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './source-tree.ts';
import { ROOT_WORKSPACE, WORKSPACES } from './workspaces.ts';

/** A package.json as far as the house has rules about it. */
export interface PackageJson {
  readonly name: string;
  readonly license?: string;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
  readonly exports: Readonly<Record<string, unknown>>;
  /** Fields that would let a dependency in by another way. */
  readonly others: readonly string[];
}

const OTHER_WAYS_IN = [
  'peerDependencies',
  'optionalDependencies',
  'bundleDependencies',
  'overrides',
  'imports',
];

/** The package.json of every workspace and of the root, by folder. */
export function readManifests(): ReadonlyMap<string, PackageJson> {
  return new Map([ROOT_WORKSPACE, ...WORKSPACES].map(({ folder }) => [folder, readManifest(folder)]));
}

function readManifest(folder: string): PackageJson {
  const json = JSON.parse(readFileSync(join(ROOT, folder, 'package.json'), 'utf8'));
  return {
    ...json,
    dependencies: json.dependencies ?? {},
    devDependencies: json.devDependencies ?? {},
    exports: json.exports ?? {},
    others: OTHER_WAYS_IN.filter((field) => field in json),
  };
}
