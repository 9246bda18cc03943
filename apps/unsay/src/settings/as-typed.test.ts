import { describe, expect, it } from 'vitest';
import { asTyped } from './as-typed.ts';

describe('a command is named as whoever reads it would type it', () => {
  const clone = { npm_package_name: 'unsay-house' };

  it.each(['start', 'unsay', 'seed', 'verify'])('from a clone, under npm run %s', (script) => {
    const environment = { ...clone, npm_lifecycle_event: script };
    expect(asTyped('pair device', environment)).toBe('npm run --silent unsay -- pair device');
    expect(asTyped('serve', environment)).toBe('npm start');
  });

  it.each([
    ['installed, with no npm about', {}],
    ['installed, by npx', { npm_package_name: 'unsay', npm_lifecycle_event: 'npx' }],
    ['installed, in a script of somebody’s own', { npm_package_name: 'mine', npm_lifecycle_event: 'start' }],
    ['in a script of the clone that is another program', { ...clone, npm_lifecycle_event: 'test' }],
  ])('%s', (_how, environment) => {
    expect(asTyped('pair device', environment)).toBe('unsay pair device');
    expect(asTyped('serve', environment)).toBe('unsay serve');
  });
});
