import { describe, expect, it } from 'vitest';
import { readOptions } from './options.ts';

describe('the command line of the probe', () => {
  it.each([
    [[], { kind: 'serve', phase: 'open', port: 8790, data: 'data-probe' }],
    [['--phase', 'auth', '--port', '0', '--data', 'x'], { kind: 'serve', phase: 'auth', port: 0, data: 'x' }],
    [['report'], { kind: 'report', json: false, data: 'data-probe' }],
    [['report', '--json', '--data', 'x'], { kind: 'report', json: true, data: 'x' }],
    [['transcripts'], { kind: 'transcripts', json: false, data: 'data-probe' }],
    [['--help'], { kind: 'help' }],
  ])('%j is understood', (args, asked) => {
    expect(readOptions(args)).toEqual(asked);
  });

  it.each([
    [['--phase', 'half'], '--phase'],
    [['--port', '70000'], '--port'],
    [['--port', 'x'], '--port'],
    [['tell'], 'tell'],
    [['report', 'twice'], 'twice'],
    [['report', '--port', '1'], 'report'],
    [['--json'], '--json'],
    [['--nothing'], '--nothing'],
  ])('%j is refused, and the message says why', (args, word) => {
    const asked = readOptions(args);
    expect(asked.kind === 'wrong' && asked.message).toContain(word);
  });
});
