import { StorageError } from '@unsay/storage';
import { describe, expect, it } from 'vitest';
import { faultWords } from './fault-words.ts';

const CANARY = 'Zebra weight_bearing zebra';

function thrown(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return error;
  }
}

class CanaryError extends Error {
  override readonly name = CANARY;
}

/** An error whose stack was written by whoever chose the message. */
function forged(message: string): Error {
  return new Error(`${message}\n    at care://zebra/weight_bearing:1:1`);
}

/** The stack is spelled when it is first looked at. */
function exchanged(error: Error): Error {
  const { stack } = error;
  return Object.assign(error, { message: 'another', stack });
}

describe('what is written down of an exception', () => {
  it.each([
    ['a parser that quotes what it read', thrown(() => JSON.parse(`"${CANARY}`))],
    ['a message', new Error(CANARY)],
    ['a name', new CanaryError('x')],
    ['a code', Object.assign(new Error('x'), { code: 'weight_bearing' })],
    ['a cause', new Error('x', { cause: new Error(CANARY) })],
    ['a message that looks like a stack', forged(CANARY)],
    ['a message that was exchanged', exchanged(forged(CANARY))],
    ['no error at all', CANARY],
    ['an object', { message: CANARY }],
  ])('has no words of %s', (_what, error) => {
    const words = JSON.stringify(faultWords(error));
    expect(words).not.toMatch(/zebra|weight_bearing/i);
    expect(JSON.parse(words)).toHaveProperty('error');
  });

  it('has the class of an error and the places that it passed', () => {
    const { error, stack = [], message } = faultWords(thrown(() => JSON.parse('{')));
    expect([error, message]).toEqual(['SyntaxError', undefined]);
    expect(stack.some((frame) => /fault-words\.test\.ts:\d+:\d+/.test(frame))).toBe(true);
  });

  it('has the sentence of a store that fails, and no place', () => {
    const error = new StorageError('full', 'There is no room left.', new Error(CANARY));
    expect(faultWords(error)).toEqual({
      error: 'StorageError',
      code: 'full',
      message: 'There is no room left.',
    });
  });

  it('has the sentence of the operating system', () => {
    const error = Object.assign(new Error('ENOSPC: no space left'), {
      code: 'ENOSPC',
      errno: -28,
      syscall: 'write',
    });
    expect(faultWords(error)).toMatchObject({ code: 'ENOSPC', message: 'ENOSPC: no space left' });
  });

  it('ends a chain of causes', () => {
    const error = new Error('round');
    error.cause = error;
    expect(JSON.stringify(faultWords(error)).match(/"error"/g)).toHaveLength(4);
  });
});
