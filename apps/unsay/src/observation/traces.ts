import {
  type Context,
  context,
  ProxyTracerProvider,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import type { ObservedAnswer, ObservedMessage } from '@unsay/mcp';
import type { UriHash } from './uri-hash.ts';

const NAME = 'unsay';

// Version 00 of W3C Trace Context, section 3.2. It asks for lower case, and for ids that are not all zero.
const TRACEPARENT = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})$/;

/**
 * Answers inside a span that continues the caller's trace. Where nobody registered a tracer provider, which is
 * the case unless the operator loads an SDK, it only answers.
 *
 * A span carries the method, the era, the status and the keyed hash of the URI. Of the caller it takes the two
 * ids and the flags of `traceparent`, and nothing of one that is malformed. `tracestate` and `baggage` are left
 * where they are: they are free text of the caller's, and would be exported with the span.
 */
export function traced(
  message: ObservedMessage,
  hash: UriHash,
  answer: () => Promise<ObservedAnswer>,
): Promise<ObservedAnswer> {
  const tracer = registeredTracer();
  if (tracer === null) return answer();
  const span = tracer.startSpan(
    message.method,
    { kind: SpanKind.SERVER, attributes: attributesOf(message, hash) },
    parentOf(message),
  );
  return context.with(trace.setSpan(context.active(), span), () => finished(span, answer));
}

async function finished(span: Span, answer: () => Promise<ObservedAnswer>): Promise<ObservedAnswer> {
  try {
    const answered = await answer();
    span.setAttributes({ 'unsay.era': answered.era, 'http.response.status_code': answered.status });
    if (answered.status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
    return answered;
  } finally {
    span.end();
  }
}

/** A tracer of the operator's; null when there is none and every span would be thrown away. */
function registeredTracer(): Tracer | null {
  const provider = trace.getTracerProvider();
  if (provider instanceof ProxyTracerProvider) return provider.getDelegateTracer(NAME) ?? null;
  return provider.getTracer(NAME);
}

function attributesOf({ method, uri }: ObservedMessage, hash: UriHash): Record<string, string> {
  return { 'mcp.method.name': method, ...(uri === null ? {} : { 'unsay.uri_hash': hash(uri) }) };
}

function parentOf({ traceparent }: ObservedMessage): Context {
  const [, traceId, spanId, flags] = TRACEPARENT.exec(traceparent ?? '') ?? [];
  if (traceId === undefined || spanId === undefined) return context.active();
  const remote = { traceId, spanId, traceFlags: Number.parseInt(flags ?? '00', 16) & 1, isRemote: true };
  return trace.setSpanContext(context.active(), remote);
}
