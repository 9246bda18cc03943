import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SAMPLE_RATE, synthesizeClips } from './clip-synthesis.ts';

const FOLDER = join(import.meta.dirname, '../apps/unsay/src/domain/clips');

describe.each(synthesizeClips().map((clip) => [clip.file, clip] as const))('%s', (file, clip) => {
  const written = readFileSync(join(FOLDER, file));

  it('is the bytes that are synthesized', () => {
    expect(written.equals(clip.bytes)).toBe(true);
  });

  it('says inside the file, and beside it, that it is synthesized', () => {
    expect(written.toString('latin1')).toContain('ICMT');
    expect(written.toString('latin1')).toContain(clip.comment);
    expect(clip.comment).toMatch(/^Synthesized, not a recording/);
    expect(readFileSync(join(FOLDER, 'README.md'), 'utf8')).toContain(`\`${file}\``);
  });

  it('is 8-bit PCM at 4 kHz whose sizes agree with its headers', () => {
    expect(written.toString('latin1', 0, 16)).toMatch(/^RIFF....WAVEfmt $/s);
    expect(written.readUInt32LE(4)).toBe(written.length - 8);
    expect([20, 22, 34].map((at) => written.readUInt16LE(at))).toEqual([1, 1, 8]);
    expect(written.readUInt32LE(24)).toBe(SAMPLE_RATE);
    const data = written.indexOf('data', 36);
    expect(written.readUInt32LE(data + 4)).toBe(written.length - data - 8);
  });
});

it('the clips were not moved together with what makes them', () => {
  const hashes = synthesizeClips().map(({ file, bytes }) => [
    file,
    bytes.length,
    createHash('sha256').update(bytes).digest('hex'),
  ]);
  expect(hashes).toMatchInlineSnapshot(`
    [
      [
        "exercises.wav",
        12192,
        "0f11d857cf37fe6fb03240244927f51c4ee7a13c1975e29f09b8d13c3b317959",
      ],
      [
        "gait.wav",
        24190,
        "b75b5330773d69a05c08241b523db5e0dd46b4599cd7f05e62e5f3bc738e5770",
      ],
    ]
  `);
});

it('the slides are ten, and the steps ten of two lengths', () => {
  const [slides, steps] = synthesizeClips().map(({ bytes }) => onsets(bytes.subarray(-samplesOf(bytes))));
  expect(slides).toHaveLength(20);
  expect(steps).toHaveLength(10);
  const gaps = (steps ?? []).slice(1).map((at, index) => at - (steps?.[index] ?? 0));
  expect(new Set(gaps.map((gap) => Math.round(gap / 400) / 10))).toEqual(new Set([0.5, 0.7]));
});

function samplesOf(bytes: Uint8Array): number {
  return Buffer.from(bytes).readUInt32LE(Buffer.from(bytes).indexOf('data', 36) + 4);
}

/** Where a sound begins after at least 20 ms of silence. */
function onsets(samples: Uint8Array): number[] {
  let quiet = 80;
  const found: number[] = [];
  for (const [at, sample] of samples.entries()) {
    const isQuiet = Math.abs(sample - 128) < 4;
    if (!isQuiet && quiet >= 80) found.push(at);
    quiet = isQuiet ? quiet + 1 : 0;
  }
  return found;
}
