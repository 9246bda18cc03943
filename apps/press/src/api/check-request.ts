import { type OutputUnit, Validator } from '@cfworker/json-schema';
import document from '../../openapi.json' with { type: 'json' };
import type { Operation, OperatorRequest } from './requests.ts';

/** A request that the document allows, or what is wrong with it. */
export type CheckedRequest =
  | { readonly kind: 'valid'; readonly request: OperatorRequest }
  | { readonly kind: 'invalid'; readonly detail: string };

const { schemas } = document.components;
const { mapping } = schemas.OperatorRequest.discriminator;

/** The operations that the document has. */
export const OPERATIONS = Object.keys(mapping) as Operation[];

// One for each operation: of a union as a whole, nobody could say which of its parts was meant.
const validators = new Map(
  Object.entries(mapping).map(([operation, $ref]) => {
    const schema = { $ref, components: { schemas } };
    return [operation, new Validator(schema as ConstructorParameters<typeof Validator>[0], '2020-12', false)];
  }),
);

/** Checks a body against the document: nothing else decides which requests there are. */
export function checkRequest(body: unknown): CheckedRequest {
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    return { kind: 'invalid', detail: 'The body is not a JSON object.' };
  const operation = 'operation' in body ? body.operation : undefined;
  const validator = typeof operation === 'string' ? validators.get(operation) : undefined;
  if (validator === undefined)
    return { kind: 'invalid', detail: `operation must be one of ${OPERATIONS.join(', ')}.` };
  const { valid, errors } = validator.validate(body);
  if (valid) return { kind: 'valid', request: body as OperatorRequest };
  return { kind: 'invalid', detail: detailOf(errors) };
}

// The validator tells every step down to a fault; what a person needs is the last one.
function detailOf(errors: readonly OutputUnit[]): string {
  const steps = new Set(['$ref', 'properties', 'items']);
  const said = errors
    .filter(({ keyword }) => !steps.has(keyword))
    .map(({ instanceLocation, error }) => {
      const where = instanceLocation.replace(/^#\/?/, '').slice(0, 100);
      return `${where === '' ? 'The request' : where}: ${error.slice(0, 200)}`;
    });
  return said.slice(0, 5).join(' ') || 'The request does not match the document.';
}
