import { existsSync, readFileSync } from 'node:fs';
import { type ServedSkill, skillOf } from '@unsay/mcp';

// In the package beside `src`, in the clone at its root.
const [PACKED, IN_CLONE] = ['../../', '../../../../'].map(
  (above) => new URL(`${above}skills/unsay/SKILL.md`, import.meta.url),
) as [URL, URL];
const FILE = existsSync(PACKED) ? PACKED : IN_CLONE;

/**
 * The skill that tells a host how to use Unsay: the file in the repository, byte for byte. `skills/list` names it, and
 * `resources/list` does not, which is a list of facts.
 */
export function unsaySkill(): Promise<ServedSkill> {
  loaded ??= skillOf('unsay', readFileSync(FILE, 'utf8'), { listed: false });
  return loaded;
}

let loaded: Promise<ServedSkill> | undefined;
