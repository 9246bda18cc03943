import { Validator } from '@cfworker/json-schema';
import document from '../openapi.json' with { type: 'json' };

const { schemas } = document.components;

/** How an answer of the API differs from what the document says of it; empty when it does not. */
export function answerFaults({
  status,
  body,
}: {
  readonly status: number;
  readonly body: unknown;
}): readonly string[] {
  const { mapping } = schemas.OperatorAnswer.discriminator;
  const operation = (body as { operation?: keyof typeof mapping }).operation ?? 'none';
  const $ref =
    status === 200 ? (operation === 'none' ? '' : mapping[operation]) : '#/components/schemas/Problem';
  if (!(String(status) in document.paths['/api/operator'].post.responses)) return [`status ${status}`];
  const validator = new Validator({ $ref, components: { schemas } } as never, '2020-12', false);
  return validator.validate(body).errors.map(({ instanceLocation, error }) => `${instanceLocation} ${error}`);
}
