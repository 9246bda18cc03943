import {
  ageInWords,
  ageOf,
  type FactVersion,
  holdsSubject,
  type LiveResources,
  narrow,
  type Principal,
  type Subject,
  versionUri,
} from '@unsay/live-resources';

/** A text that was made from facts, and the URIs of the versions that it was made from. */
export interface Briefing {
  readonly text: string;
  readonly citations: readonly string[];
}

const PAGE = 50;

/**
 * The carer briefing for one subject, or null when there is nothing the caller may hear. It cites every version
 * that it says, so that whoever says it knows what to take back when one of them changes.
 *
 * It is assembled through a principal that holds the speakable scopes and no other, so whatever the caller
 * may read, no line of this function can reach an internal fact.
 */
export async function carerBriefing(
  live: LiveResources,
  caller: Principal,
  subject: Subject,
): Promise<Briefing | null> {
  const speakable = live.partition.rules.filter((rule) => rule.speakable).map((rule) => rule.readScope);
  if (!holdsSubject(caller, subject)) return null;
  const listener = { ...narrow(caller, speakable), subjects: new Set([subject]) };
  const facts: FactVersion[] = [];
  let after: string | null = null;
  do {
    const page = await live.list(listener, after, PAGE);
    facts.push(...page);
    after = page.length === PAGE ? (page.at(-1)?.uri ?? null) : null;
  } while (after !== null);
  if (facts.length === 0) return null;
  const text = [
    `Brief the carer of ${subject} from these instructions and nothing else. Keep every number, unit, side and "not" as it stands.`,
    ...facts.map((fact) => briefingLine(fact, live)),
  ].join('\n');
  return { text, citations: facts.map(({ uri, version }) => versionUri(uri, version)) };
}

function briefingLine(fact: FactVersion, { clock }: LiveResources): string {
  const age = ageOf(fact, clock);
  const changed = `version ${fact.version}, changed ${ageInWords(age.seconds)} by ${fact.authorLabel}`;
  const review = age.stale ? ' — PAST ITS REVIEW DATE, say its age aloud' : '';
  return `- ${fact.topic}: ${fact.value ?? 'withdrawn, nothing replaces it yet'} (${changed}${review})`;
}
