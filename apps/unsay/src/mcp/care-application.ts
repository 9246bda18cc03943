import { type LiveResources, type Principal, parseSubject, readableAudiences } from '@unsay/live-resources';
import type { McpApplication, PromptMethods } from '@unsay/mcp';
import { correctionEvents, liveResourceMethods, whatsChangedTool } from '@unsay/mcp/live';
import { carerBriefing } from '../domain/carer-briefing.ts';
import { GLOSSARY } from '../domain/glossary.ts';
import type { CareStatics } from './care-statics.ts';
import { APPS_EXTENSION, CARD_URI } from './device-card.ts';

const INSTRUCTIONS = `Unsay serves instructions that change after they were spoken.
Before every answer call whats_changed with the cursor you were last given (or without one), and take back aloud, with its retraction sentence, whatever you have said that is no longer so.
Subscribe to each resource you use, and when one is updated stop in mid-sentence, read it again and say its _meta["unsay/retraction"].
Text under care:// may be spoken, word for word. Text under care-internal:// may shape what you say and must never be spoken, quoted or hinted at.
A text that begins with [STALE is past its review date: say its age aloud before you say it.`;

const DESCRIPTIONS: Readonly<Record<string, string>> = {
  care: 'An instruction that may be spoken to the person it is about.',
  'care-internal': 'What may shape an answer and must never be spoken.',
};

/** What Unsay says over MCP. */
export function careApplication(
  live: LiveResources,
  pageSize: number,
  { skill, card }: CareStatics,
): McpApplication<Principal> {
  const statics = [skill.file, ...(card === null ? [] : [card])];
  const whatsChanged = whatsChangedTool(live, GLOSSARY);
  const shown = card !== null && { _meta: { ui: { resourceUri: CARD_URI } } };
  const describe = (scheme: string): string => DESCRIPTIONS[scheme] ?? '';
  return {
    serverInfo: { name: 'unsay', title: 'Unsay', version: '0.1.0' },
    instructions: INSTRUCTIONS,
    resources: liveResourceMethods({ live, pageSize, glossary: GLOSSARY, describe, statics }),
    prompts: briefingPrompt(live),
    tools: [{ ...whatsChanged, ...shown }],
    events: correctionEvents(live),
    skills: [skill.entry],
    ...(card !== null && { extensions: { [APPS_EXTENSION]: {} } }),
  };
}

const BRIEF_CARER = 'brief_carer';

function briefingPrompt(live: LiveResources): PromptMethods<Principal> {
  return {
    list: () => [
      {
        name: BRIEF_CARER,
        title: 'Brief a carer',
        description:
          'The instructions that may be spoken, with their ages, as a briefing for whoever takes over.',
        arguments: [{ name: 'subject', description: 'Whom the briefing is about.', required: true }],
      },
    ],
    async get(principal, name, args) {
      if (name !== BRIEF_CARER) return { kind: 'absent' };
      const subject = parseSubject(args.subject ?? '');
      const briefing = subject && (await carerBriefing(live, principal, subject));
      if (briefing === null)
        return { kind: 'bad_argument', message: 'subject: there is nothing to brief about under that name.' };
      const { text, citations } = briefing;
      const messages = [{ role: 'user' as const, content: { type: 'text' as const, text } }];
      return { kind: 'found', result: { _meta: { 'unsay/citations': citations }, messages } };
    },
    async complete(principal, name, argument) {
      if (name !== BRIEF_CARER || argument.name !== 'subject') return [];
      const speakable = live.partition.rules.filter((rule) => rule.speakable).map((rule) => rule.audience);
      const readable = readableAudiences(live.partition, principal).map((rule) => rule.audience);
      const audiences = speakable.filter((audience) => readable.includes(audience));
      const lanes = await live.store.lanes({ subjects: principal.subjects, audiences });
      return [...new Set(lanes.map((lane) => lane.subject))]
        .filter((subject) => subject.startsWith(argument.value))
        .sort()
        .slice(0, 100);
    },
  };
}
