import type { ServedSkill, StaticResource } from '@unsay/mcp';
import { CARD_PATH, type PageFiles } from '../http/pages.ts';
import { deviceCard } from './device-card.ts';
import { unsaySkill } from './unsay-skill.ts';

/** What Unsay serves that is the same for everyone, and holds no facts. */
export interface CareStatics {
  readonly skill: ServedSkill;
  /** The card of `whats_changed`; null where no pages were built. */
  readonly card: StaticResource | null;
}

/** Reads the skill, and takes the card from the built pages. */
export async function careStatics(pages: PageFiles): Promise<CareStatics> {
  const card = pages.get(CARD_PATH);
  return {
    skill: await unsaySkill(),
    card: card === undefined ? null : deviceCard(card.bytes.toString('utf8')),
  };
}
