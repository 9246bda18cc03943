import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from './bootstrap.mjs';
import { freshClonePlan, freshEnvironment } from './fresh-clone-plan.ts';

function script(name: string, ...args: readonly string[]) {
  const path = join(ROOT, 'scripts', `${name}.ts`);
  const { status, stdout, stderr } = spawnSync(process.execPath, [path, ...args], { encoding: 'utf8' });
  return { status, stdout, stderr };
}

describe.each(['build', 'fresh-clone'])('npm run %s', (name) => {
  it('explains itself, and does nothing else', () => {
    const { status, stdout, stderr } = script(name, '--help');
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(new RegExp(`^Usage: npm run ${name}\\b`));
  });

  it('refuses what it does not know', () => {
    expect(script(name, '--frobnicate')).toMatchObject({ status: 2, stdout: '' });
  });
});

it('everything that is shipped is packed whole: it installs, imports, runs and serves', () => {
  const { status, stdout, stderr } = script('build');
  expect([status, stderr]).toEqual([0, '']);
  expect(stdout.trim().split('\n').at(-1)).toBe('build: passed');
}, 120_000);

describe('a fresh clone', () => {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { scripts: object };

  it('runs every script of package.json but servers and itself', () => {
    const planned = freshClonePlan(Object.keys(scripts), { test: true }).map((step) => step.script);
    const others = Object.keys(scripts).filter((name) => !['start', 'probe', 'fresh-clone'].includes(name));
    expect(planned.toSorted()).toEqual(others.toSorted());
    expect(planned[0]).toBe('test');
    expect(freshClonePlan(Object.keys(scripts), { test: false }).map((step) => step.script)).not.toContain(
      'test',
    );
  });

  it('has the environment of somebody who has set nothing', () => {
    const environment = {
      PATH: '/clone/node_modules/.bin:/usr/bin:/clone/node_modules/node/bin',
      HOME: '/home/somebody',
      UNSAY_DATA: '/elsewhere',
      NODE_OPTIONS: '--inspect',
      npm_config_registry: 'https://example.org/',
      npm_lifecycle_event: 'fresh-clone',
    };
    expect(freshEnvironment(environment, '/empty', '/clone/node_modules')).toEqual({
      PATH: '/usr/bin',
      HOME: '/empty',
      UNSAY_PORT: '0',
      npm_config_registry: 'https://example.org/',
    });
  });
});
