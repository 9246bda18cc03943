import { expect, it } from 'vitest';
import { StorageError } from '../storage-error.ts';
import { translate } from './sqlite-errors.ts';

function engineError(errcode: number): Error {
  return Object.assign(new Error('an error of the engine'), { errcode });
}

it('tells extended result codes by their primary one', () => {
  const ioErrorAtSync = 10 | (4 << 8);
  const busyInRecovery = 5 | (1 << 8);
  expect(translate(engineError(ioErrorAtSync), '/data/unsay.db')).toMatchObject({ code: 'io_failed' });
  expect(translate(engineError(busyInRecovery), '/data/unsay.db')).toMatchObject({ code: 'in_use' });
});

it('names the file, keeps the cause, and leaves every other error as it is', () => {
  const cause = engineError(13);
  const translated = translate(cause, '/data/unsay.db');
  expect(translated).toBeInstanceOf(StorageError);
  expect(translated).toMatchObject({ cause, message: expect.stringContaining('/data/unsay.db') });
  const constraintFailed = engineError(19);
  for (const other of [constraintFailed, new Error('ours'), 'not an error']) {
    expect(translate(other, '/data/unsay.db')).toBe(other);
  }
});
