import { trace } from '@opentelemetry/api';
import { expect, it } from 'vitest';
import { isTracingRegistered } from './registered-tracing.ts';

it('sees a tracer provider when there is one, where the API itself keeps it', () => {
  expect(isTracingRegistered({})).toBe(false);
  trace.disable();
  expect(isTracingRegistered(globalThis)).toBe(false);
  trace.setGlobalTracerProvider({ getTracer: () => trace.getTracer('none') });
  expect(isTracingRegistered(globalThis)).toBe(true);
  trace.disable();
  expect(isTracingRegistered(globalThis)).toBe(false);
});
