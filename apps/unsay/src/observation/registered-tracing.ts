/** Where every copy of version 1 of the OpenTelemetry API keeps what the operator's SDK registered with it. */
const REGISTERED = Symbol.for('opentelemetry.js.api.1');

/**
 * Whether anybody registered a tracer provider, seen without the API, which is a hundred modules that a server without
 * an SDK need not load. `holder` is the global object.
 */
export function isTracingRegistered(holder: object): boolean {
  const registered: unknown = Reflect.get(holder, REGISTERED);
  return typeof registered === 'object' && registered !== null && 'trace' in registered;
}
