import { SKILLS_EXTENSION_ID, type Skill, skillEntry } from '@modelcontextprotocol/server/ext/skills';
import type { StaticResource } from './static-resources.ts';

export type { Skill } from '@modelcontextprotocol/server/ext/skills';

/** The identifier under which the Skills extension (SEP-2640) is declared. */
export const SKILLS_EXTENSION = SKILLS_EXTENSION_ID;

/** A skill: its entry, and the file that `resources/read` gives. */
export interface ServedSkill {
  readonly entry: Skill;
  readonly file: StaticResource;
}

/**
 * A skill that is one file, at `skill://<name>/SKILL.md`. Its name is the one in the front matter; the entry carries
 * the SHA-256 of the file's UTF-8 bytes.
 *
 * @throws SkillCatalogError when the text breaks a rule of SEP-2640 or of the Agent Skills format
 */
export async function skillOf(
  name: string,
  text: string,
  { listed }: { readonly listed: boolean },
): Promise<ServedSkill> {
  const entry = await skillEntry(name, { 'SKILL.md': text });
  const { uri, frontmatter } = entry;
  const about = { uri, mimeType: 'text/markdown' };
  return {
    entry,
    file: {
      entry: {
        ...about,
        name: frontmatter.name,
        description: frontmatter.description,
        size: Buffer.byteLength(text),
      },
      content: { ...about, text },
      listed,
    },
  };
}
