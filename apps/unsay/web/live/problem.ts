/** What the server said went wrong (RFC 9457), with what to do next. */
export interface Problem {
  readonly status: number;
  /** One of the server's closed list, or `unknown` where the answer was not of its form. */
  readonly code: string;
  readonly detail: string;
  readonly next: string;
}

/** Reads a refusal. An answer that is not problem+json still gives a sentence a person can use. */
export async function readProblem(response: Response): Promise<Problem> {
  const body = parseObject(await response.text());
  return {
    status: response.status,
    code: textOf(body, 'code') ?? 'unknown',
    detail: textOf(body, 'detail') ?? textOf(body, 'title') ?? `The server answered ${response.status}.`,
    next: textOf(body, 'next') ?? '',
  };
}

function parseObject(text: string): object | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' ? value : null;
  } catch {
    return null;
  }
}

function textOf(body: object | null, key: string): string | null {
  const value: unknown = body === null ? null : Reflect.get(body, key);
  return typeof value === 'string' && value !== '' ? value : null;
}
