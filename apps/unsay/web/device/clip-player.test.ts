import { expect, test } from 'vitest';
import { factOf } from '../live/sample-fact.ts';
import type { ClipEngine } from './clip-engine.ts';
import { ClipPlayer, type ClipState } from './clip-player.ts';

const GAIT = 'care://ray/gait';
const OTHER = 'care://ray/stairs';
const withClip = (version: number, uri = GAIT) =>
  factOf(uri, version, { clip: { mediaType: 'audio/wav', base64: 'AAH+' } });

function scene(): {
  player: ClipPlayer;
  /** What was asked of the engine and of the reader. */
  calls: string[];
  end: (how: 'ended' | 'failed') => void;
  states: ClipState[];
} {
  const calls: string[] = [];
  const states: ClipState[] = [];
  let end: (how: 'ended' | 'failed') => void = () => {};
  const engine: ClipEngine = {
    prepare: () => void calls.push('prepare'),
    play(bytes, events) {
      calls.push(`play ${[...bytes]}`);
      end = (how) => events[how]();
      return { stop: () => void calls.push('stop') };
    },
  };
  const player: ClipPlayer = new ClipPlayer({
    engine,
    refresh: (uri) => void calls.push(`read ${uri}`),
    changed: () => void states.push(player.state),
  });
  return { player, calls, end: (how) => end(how), states };
}

test('a clip is played after its fact was read again, and to its end', () => {
  const { player, calls, end, states } = scene();
  player.play(GAIT);
  player.confirmed(withClip(1, OTHER));
  expect(calls).toEqual(['prepare', `read ${GAIT}`]);
  player.confirmed(withClip(1));
  expect(calls.at(-1)).toBe('play 0,1,254');
  end('ended');
  expect(states.map(({ kind }) => kind)).toEqual(['checking', 'playing', 'idle']);
  expect(calls).not.toContain('stop');
});

test.each<[string, (player: ClipPlayer) => void, string]>([
  ['its fact is announced as changed', (player) => player.suspect(GAIT), 'changed'],
  ['a newer version is read', (player) => player.confirmed(withClip(2)), 'changed'],
  ['its fact is gone', (player) => player.absent(GAIT), 'gone'],
  ['its fact cannot be read', (player) => player.unconfirmed(GAIT), 'unconfirmed'],
  ['the connection is gone', (player) => player.stop('disconnected'), 'disconnected'],
  ['speech begins', (player) => player.stop('speech'), 'speech'],
  ['a person stops it', (player) => player.stop('stopped'), 'stopped'],
])('a clip is cut when %s', (_why, happen, reason) => {
  const { player, calls, end } = scene();
  player.play(GAIT);
  player.confirmed(withClip(1));
  happen(player);
  expect(calls.at(-1)).toBe('stop');
  expect(player.state).toEqual({ kind: 'stopped', uri: GAIT, reason });
  // What the engine says of a clip that was cut is late and changes nothing.
  end('ended');
  expect(player.state).toMatchObject({ kind: 'stopped' });
});

test.each<[string, (player: ClipPlayer) => void]>([
  ['another fact changes', (player) => player.suspect(OTHER)],
  ['another fact is gone', (player) => player.absent(OTHER)],
  ['another fact cannot be read', (player) => player.unconfirmed(OTHER)],
  ['the same version is read again', (player) => player.confirmed(withClip(1))],
])('a clip goes on when %s', (_why, happen) => {
  const { player, calls } = scene();
  player.play(GAIT);
  player.confirmed(withClip(1));
  happen(player);
  expect([player.state, calls.includes('stop')]).toEqual([{ kind: 'playing', uri: GAIT }, false]);
});

test('a change that arrives before the clip began is played as it is read', () => {
  const { player, calls } = scene();
  player.play(GAIT);
  player.suspect(GAIT);
  player.confirmed(withClip(2));
  expect([player.state.kind, calls.at(-1)]).toEqual(['playing', 'play 0,1,254']);
});

test('a fact that has lost its clip meanwhile plays none', () => {
  const { player, calls } = scene();
  player.play(GAIT);
  player.confirmed(factOf(GAIT, 2));
  expect(player.state).toEqual({ kind: 'stopped', uri: GAIT, reason: 'changed' });
  expect(calls).toEqual(['prepare', `read ${GAIT}`]);
});

test('what stops before it began is never begun', () => {
  const { player, calls } = scene();
  player.play(GAIT);
  player.stop('stopped');
  player.confirmed(withClip(1));
  expect(calls).toEqual(['prepare', `read ${GAIT}`]);
});

test('a clip takes the place of another, and bytes that are no sound are said to be so', () => {
  const { player, calls, end } = scene();
  player.play(GAIT);
  player.confirmed(withClip(1));
  player.play(OTHER);
  expect(calls).toContain('stop');
  player.confirmed(withClip(3, OTHER));
  end('failed');
  expect(player.state).toEqual({ kind: 'stopped', uri: OTHER, reason: 'unplayable' });
});

test('silence is told of once', () => {
  const { player, states } = scene();
  player.stop('speech');
  player.stop('stopped');
  expect(states).toEqual([]);
});
