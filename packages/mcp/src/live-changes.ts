import {
  ageOf,
  type ChangesQuery,
  type Correction,
  type GlossaryEntry,
  type Instant,
  type LiveResources,
  type Principal,
  parseInstant,
  renderRetraction,
} from '@unsay/live-resources';
import type { ToolEntry } from './application.ts';
import type { JsonObject } from './json.ts';

const TEXT = { type: 'string' } as const;
const TEXT_OR_NULL = { type: ['string', 'null'] } as const;
const COUNT = { type: 'integer', minimum: 0 } as const;

const CHANGE_PROPERTIES = {
  uri: TEXT,
  version: COUNT,
  kind: { type: 'string', enum: ['create', 'revise', 'withdraw'] },
  value: TEXT_OR_NULL,
  previousVersion: COUNT,
  previousValue: TEXT_OR_NULL,
  writtenAt: TEXT,
  ageSeconds: COUNT,
  author: TEXT,
  attested: { type: 'boolean' },
  retraction: TEXT,
} as const;

/** The tool that tells a host what was corrected since it last asked. */
export function whatsChangedTool(
  live: LiveResources,
  glossary: readonly GlossaryEntry[],
): ToolEntry<Principal> {
  return {
    name: 'whats_changed',
    title: 'What changed',
    description:
      'Lists the corrections since a time or since the cursor of an earlier call: old and new words, who changed them, ' +
      'how long ago, and the sentence that takes the old words back. Call it before you answer.',
    inputSchema: {
      type: 'object',
      properties: {
        subject: { ...TEXT, description: 'Only this subject; every subject you were granted when left out.' },
        since: { ...TEXT, description: 'An ISO 8601 date and time with a zone.' },
        after: { ...TEXT, description: 'The cursor of an earlier answer.' },
      },
      additionalProperties: false,
    },
    outputSchema: {
      type: 'object',
      properties: {
        changes: {
          type: 'array',
          items: { type: 'object', properties: CHANGE_PROPERTIES, required: Object.keys(CHANGE_PROPERTIES) },
        },
        cursor: { ...TEXT, description: 'Give it back as `after`; it continues without loss.' },
      },
      required: ['changes', 'cursor'],
    },
    annotations: { title: 'What changed', readOnlyHint: true, idempotentHint: true, openWorldHint: false },
    async call(principal, args) {
      const query = readQuery(args);
      if (typeof query === 'string') return { kind: 'bad_argument', message: query };
      const outcome = await live.changes(principal, query);
      if (outcome.kind === 'bad_cursor') return { kind: 'bad_argument', message: BAD_CURSOR };
      if (outcome.kind === 'too_many_lanes') return { kind: 'bad_argument', message: TOO_MANY };
      const changes = outcome.changes.map((correction) => wireChange(correction, live, glossary));
      const structuredContent: JsonObject = { changes, cursor: outcome.cursor };
      return {
        kind: 'ok',
        content: [{ type: 'text', text: JSON.stringify(structuredContent) }],
        structuredContent,
      };
    },
  };
}

const BAD_CURSOR = 'after: not a cursor that was given to you here. Call without it to start over.';
const TOO_MANY =
  'subject: you were granted more than one cursor can follow. Ask for one subject at a time, without the cursor of another.';
const BAD_TIME = 'since: not an ISO 8601 date and time with a zone, like 2026-12-01T09:14:00Z.';

function readQuery(args: JsonObject): ChangesQuery | string {
  const { subject, since, after } = args;
  let from: Instant | null = null;
  if (typeof since === 'string') {
    from = parseInstant(since);
    if (from === null) return BAD_TIME;
  }
  return {
    subject: typeof subject === 'string' ? subject : null,
    since: from,
    after: typeof after === 'string' ? after : null,
  };
}

function wireChange(
  { version, previous }: Correction,
  live: LiveResources,
  glossary: readonly GlossaryEntry[],
): JsonObject {
  return {
    uri: version.uri,
    version: version.version,
    kind: version.kind,
    value: version.value,
    previousVersion: previous.version,
    previousValue: previous.value,
    writtenAt: version.writtenAt,
    ageSeconds: ageOf(version, live.clock).seconds,
    author: version.authorLabel,
    attested: version.attestation !== null,
    retraction: renderRetraction(previous, version, live.clock, glossary),
  };
}
