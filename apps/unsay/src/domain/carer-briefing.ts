import {
  ageInWords,
  ageOf,
  type FactVersion,
  holdsSubject,
  type LiveResources,
  narrow,
  type Principal,
  type Subject,
} from '@unsay/live-resources';

const PAGE = 50;

/**
 * The text of the carer briefing for one subject, or null when there is nothing the caller may hear.
 *
 * It is assembled through a principal that holds the speakable scopes and no other, so whatever the caller
 * may read, no line of this function can reach an internal fact.
 */
export async function carerBriefing(
  live: LiveResources,
  caller: Principal,
  subject: Subject,
): Promise<string | null> {
  const speakable = live.partition.rules.filter((rule) => rule.speakable).map((rule) => rule.readScope);
  if (!holdsSubject(caller, subject)) return null;
  const listener = { ...narrow(caller, speakable), subjects: new Set([subject]) };
  const lines: string[] = [];
  let after: string | null = null;
  do {
    const page = await live.list(listener, after, PAGE);
    lines.push(...page.map((fact) => briefingLine(fact, live)));
    after = page.length === PAGE ? (page.at(-1)?.uri ?? null) : null;
  } while (after !== null);
  if (lines.length === 0) return null;
  return [
    `Brief the carer of ${subject} from these instructions and nothing else. Keep every number, unit, side and "not" as it stands.`,
    ...lines,
  ].join('\n');
}

function briefingLine(fact: FactVersion, { clock }: LiveResources): string {
  const age = ageOf(fact, clock);
  const changed = `version ${fact.version}, changed ${ageInWords(age.seconds)} by ${fact.authorLabel}`;
  const review = age.stale ? ' — PAST ITS REVIEW DATE, say its age aloud' : '';
  return `- ${fact.topic}: ${fact.value ?? 'withdrawn, nothing replaces it yet'} (${changed}${review})`;
}
