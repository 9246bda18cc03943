import { describe, expect, it } from 'vitest';
import { ENGINES, OWN_ENGINES, openMemory } from '../../testing/non-interference/engine.ts';
import type { Trace } from '../../testing/non-interference/trace.ts';
import { transcriptOf } from '../../testing/non-interference/transcript.ts';
import { differenceOn, findDifference, parametersFor } from '../../testing/non-interference/two-worlds.ts';
import { VIEWS, type View } from '../../testing/non-interference/views.ts';

// Of each view on each engine.
const RUNS = 10;
// Whoever asks for thousands of traces waits for them.
const PATIENCE_MS = 3_600_000;
// Generated traces on PostgreSQL take minutes; the pinned ones run on it always.
const ASKED_FOR = process.env.UNSAY_TEST_RUNS !== undefined;

/**
 * Two worlds that differ only in what a principal may not see give it the same bytes: over generated traces, in
 * both eras, on every engine, with nothing masked. `UNSAY_TEST_RUNS` lives through more traces,
 * `UNSAY_TEST_SEED` through those of an earlier run.
 */
describe.each(ASKED_FOR ? ENGINES : OWN_ENGINES)('two worlds on $name look alike', ({ open }) => {
  it.each(VIEWS)(
    'to $name',
    async (view) => {
      const { trace, report } = await findDifference(view, open, parametersFor(RUNS));
      expect(trace, report).toBeNull();
    },
    PATIENCE_MS,
  );
});

const [view] = VIEWS as [View, ...View[]];

/** Traces on which worlds once differed, as they were shrunk. */
const PINNED: readonly { readonly name: string; readonly trace: Trace }[] = [
  {
    // A record was sealed to its place in the journal, and `/verify` shows the tag.
    name: 'a hidden version between two that are seen, and their seals',
    trace: {
      early: false,
      moments: [
        {
          inOne: [],
          inOther: [{ do: 'write', uri: 'care-internal://ray/risk', value: 'Fall risk.', review: null }],
          step: { do: 'write', uri: 'care://ray/wound', value: 'Keep it dry.', review: null },
        },
      ],
      salt: 0,
    },
  },
];

describe.each(PINNED)('$name', ({ trace }) => {
  it.each(ENGINES)('make no difference on $name', async ({ open }) => {
    expect(await differenceOn(view, trace, open)).toBeNull();
  });
});

describe('the comparison', () => {
  const trace: Trace = {
    early: false,
    moments: [
      {
        inOne: [],
        inOther: [{ do: 'write', uri: 'care-internal://ray/risk', value: 'Fall risk.', review: null }],
        step: {
          do: 'listen',
          who: 0,
          era: 'modern',
          uris: ['care://ray/wound', 'care-internal://ray/risk'],
          list: true,
          log: true,
        },
      },
      {
        inOne: [],
        inOther: [],
        step: { do: 'listen', who: 0, era: 'legacy', uris: ['care://ray/gait'], list: true, log: false },
      },
      {
        inOne: [],
        inOther: [],
        step: { do: 'write', uri: 'care://ray/wound', value: 'Keep it dry.', review: null },
      },
      {
        inOne: [],
        inOther: [],
        step: { do: 'write', uri: 'care://ray/gait', value: 'Slowly.', review: null },
      },
    ],
    salt: 0,
  };

  it('is of whole answers and of frames, with nothing left out', async () => {
    const received = await transcriptOf(view, trace, 'inOther', openMemory, null);
    const stream = (number: number): string =>
      received.filter((entry) => entry.startsWith(`device of ray: frames of stream ${number}\n`)).join('');
    expect(stream(0)).toMatch(/^.*\nHTTP\/1\.1 200 OK\r\ndate: Tue, 01 Dec 2026 09:00:00 GMT\r\n/);
    expect(stream(0)).toContain(
      '"notifications":{"resourcesListChanged":true,"resourceSubscriptions":["care://ray/wound"]}',
    );
    expect(stream(0)).toContain(
      '"method":"notifications/resources/updated","params":{"uri":"care://ray/wound"',
    );
    expect(stream(0)).toContain('"resultType":"complete"');
    expect(stream(1)).toContain(
      '"method":"notifications/events/event","params":{"eventId":"care://ray/wound/v3"',
    );
    expect(stream(2)).toContain('\r\nid: ');
    expect(stream(2)).toContain('"params":{"uri":"care://ray/gait"}');
    expect(received.join('\n')).not.toContain('Fall risk.');
    expect(received.length).toBeGreaterThan(100);
  });

  it('finds a difference for those who may see it', async () => {
    const [clinician] = view.outsiders;
    if (clinician === undefined) throw new Error('nobody sees everything');
    const wide = { ...view, observers: [clinician] };
    expect(await differenceOn(wide, trace, openMemory)).not.toBeNull();
    expect(await differenceOn(view, trace, openMemory)).toBeNull();
  });
});
