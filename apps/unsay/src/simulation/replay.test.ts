import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { ENGINE_NAMES } from '../../testing/simulation/engines.ts';
import { failureText, replayCommand, shortest } from '../../testing/simulation/failure-text.ts';
import { PLANTS } from '../../testing/simulation/plants.ts';
import { STEPS, simulate } from '../../testing/simulation/simulation.ts';

const SCRIPT = fileURLToPath(new URL('../../testing/simulation/simulate.ts', import.meta.url));

function simulateScript(...args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [SCRIPT, ...args], { encoding: 'utf8' });
  return { status, stdout, stderr };
}

describe('the same seed', () => {
  it.each(ENGINE_NAMES)('is the same run to the byte on %s', async (engine) => {
    for (const seed of [2, 7]) {
      const [one, other] = [await simulate({ seed, engine }), await simulate({ seed, engine })];
      expect(one.trace.length).toBeGreaterThan(50);
      expect(other.trace.join('\n')).toBe(one.trace.join('\n'));
    }
  });

  it('is the same run in another process', async () => {
    const { trace } = await simulate({ seed: 3, engine: 'memory' });
    expect(simulateScript('--seed', '3')).toEqual({
      status: 0,
      stdout: `${trace.join('\n')}\n`,
      stderr: '',
    });
  });

  it('is another run than that of its neighbour', async () => {
    const [one, other] = [
      await simulate({ seed: 3, engine: 'memory' }),
      await simulate({ seed: 4, engine: 'memory' }),
    ];
    expect(one.trace.join('\n')).not.toBe(other.trace.join('\n'));
  });
});

describe('a run that fails', () => {
  const plant = PLANTS.find(({ name }) => name === 'corrections of every subject') ?? null;

  it('is cut to the steps that it needs, and says how to see it again', async () => {
    const options = { seed: 1, engine: 'memory', plant } as const;
    const report = await simulate(options);
    const least = await shortest(options, report);
    expect(least.broken).toContain('to which it has no right');
    expect(least.steps).toBeLessThan(STEPS);
    const text = failureText(least, 'memory');
    expect(text).toContain(`Seed 1 broke a promise: ${least.broken}`);
    expect(text).toContain(`npm run simulate -- --seed 1 --engine memory --steps ${least.steps}`);
    expect(text.split('\n').length).toBeLessThan(60);
  });

  it('names no steps where it takes all of them', () => {
    expect(replayCommand(9, 'sqlite', STEPS)).toBe('npm run simulate -- --seed 9 --engine sqlite');
  });
});

describe('npm run simulate', () => {
  it('lives through seeds and sums up', () => {
    const { status, stdout, stderr } = simulateScript('--seeds', '3', '--from', '5');
    expect(stderr).toBe('');
    expect(stdout).toMatch(/^3 seeds from 5 on memory: \d+ writes, \d+ kills, every promise kept\n$/);
    expect(status).toBe(0);
  });

  it('explains itself', () => {
    expect(simulateScript('--help')).toMatchObject({ status: 0, stderr: '' });
    expect(simulateScript('--help').stdout).toContain('--engine NAME');
  });

  it.each([
    ['--seeds', 'many'],
    ['--engine', 'tape'],
    ['--steps', '3'],
  ])('refuses %s %s', (...args) => {
    const { status, stdout, stderr } = simulateScript(...args);
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toContain('Usage: npm run simulate');
  });
});
