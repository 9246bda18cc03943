import {
  type Attributes,
  type Context,
  type Span,
  type SpanContext,
  type SpanOptions,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import type { ObservedAnswer, ObservedMessage } from '@unsay/mcp';
import { afterEach, describe, expect, it } from 'vitest';
import { traced } from './traces.ts';
import { createUriHash } from './uri-hash.ts';

const hash = createUriHash(new Uint8Array(32).fill(1));
const URI = 'care://zebra/weight_bearing';
const TRACE = '0af7651916cd43dd8448eb211c80319c';
const PARENT = 'b7ad6b7169203331';

interface Recorded {
  readonly name: string;
  readonly parent: SpanContext | undefined;
  readonly attributes: Attributes;
  ended: boolean;
}

/** A provider such as an SDK registers, which keeps what it is told. */
function register(): Recorded[] {
  const spans: Recorded[] = [];
  const tracer = {
    startSpan(name: string, { attributes = {} }: SpanOptions, context: Context): Span {
      const recorded: Recorded = {
        name,
        parent: trace.getSpanContext(context),
        attributes: { ...attributes },
        ended: false,
      };
      spans.push(recorded);
      const span = {
        setAttributes(more: Attributes) {
          Object.assign(recorded.attributes, more);
          return span;
        },
        setStatus: () => span,
        end() {
          recorded.ended = true;
        },
      };
      return span as unknown as Span;
    },
  } as unknown as Tracer;
  trace.setGlobalTracerProvider({ getTracer: () => tracer });
  return spans;
}

function asked(traceparent: string | null): ObservedMessage {
  return { method: 'resources/read', uri: URI, traceparent };
}

const answer = async (): Promise<ObservedAnswer> => ({ era: 'modern', status: 200 });

afterEach(() => trace.disable());

describe('a trace', () => {
  it('is nothing but the answer where nobody collects them', async () => {
    const unasked = (): string => {
      throw new Error('hashed for nobody');
    };
    expect(await traced(asked(`00-${TRACE}-${PARENT}-01`), unasked, answer)).toEqual({
      era: 'modern',
      status: 200,
    });
  });

  it('goes on from the caller’s, with words of closed lists and a keyed hash', async () => {
    const spans = register();
    await traced(asked(`00-${TRACE}-${PARENT}-01`), hash, answer);
    expect(spans).toEqual([
      {
        name: 'resources/read',
        parent: { traceId: TRACE, spanId: PARENT, traceFlags: 1, isRemote: true },
        attributes: {
          'mcp.method.name': 'resources/read',
          'unsay.uri_hash': hash(URI),
          'unsay.era': 'modern',
          'http.response.status_code': 200,
        },
        ended: true,
      },
    ]);
    expect(JSON.stringify(spans)).not.toMatch(/zebra|weight/);
  });

  it.each([
    null,
    '',
    'care://zebra/weight_bearing',
    `01-${TRACE}-${PARENT}-01`,
    `ff-${TRACE}-${PARENT}-01`,
    `00-${'0'.repeat(32)}-${PARENT}-01`,
    `00-${TRACE}-${'0'.repeat(16)}-01`,
    `00-${TRACE.toUpperCase()}-${PARENT}-01`,
    `00-${TRACE}-${PARENT}-1`,
    `00-${TRACE}-${PARENT}-01-zebra`,
    `00-${TRACE}-${PARENT}-01\n`,
    ` 00-${TRACE}-${PARENT}-01`,
  ])('begins anew after a traceparent like %j', async (traceparent) => {
    const spans = register();
    await traced(asked(traceparent), hash, answer);
    expect(spans.map(({ parent, ended }) => [parent, ended])).toEqual([[undefined, true]]);
  });

  it('takes only the flag that there is', async () => {
    const spans = register();
    await traced(asked(`00-${TRACE}-${PARENT}-fe`), hash, answer);
    expect(spans[0]?.parent?.traceFlags).toBe(0);
  });

  it('ends with an answer that fails', async () => {
    const spans = register();
    await expect(traced(asked(null), hash, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(spans[0]?.ended).toBe(true);
  });
});

describe('the hash of a URI', () => {
  it('is equal for equal ones and one key, and another for all else', () => {
    const other = createUriHash(new Uint8Array(32).fill(2));
    expect(hash(URI)).toMatch(/^[0-9a-f]{32}$/);
    expect(hash(URI)).toBe(createUriHash(new Uint8Array(32).fill(1))(URI));
    expect(new Set([hash(URI), hash(`${URI}/v1`), other(URI)]).size).toBe(3);
  });
});
