/**
 * The clips of the demonstration plan, made of arithmetic. Whole numbers only: a sine may differ in its last
 * bit from one machine to the next, and these have to be the same bytes on all of them.
 */

/** Samples in a second. */
export const SAMPLE_RATE = 4000;

const SILENCE = 128;
const LOUDNESS = 96;

/** A tone that glides from one frequency to another, in hertz, with soft ends; 8-bit unsigned samples. */
function glide(samples: number, from: number, to: number): number[] {
  const ramp = Math.min(160, Math.floor(samples / 2));
  let phase = 0;
  return Array.from({ length: samples }, (_, at) => {
    const hertz = from + Math.floor(((to - from) * at) / samples);
    phase = (phase + Math.floor((hertz * 0x10000) / SAMPLE_RATE)) % 0x10000;
    const envelope = Math.min(at, samples - at, ramp);
    return SILENCE + Math.floor((wave(phase) * LOUDNESS * envelope) / (0x8000 * ramp));
  });
}

/** One period is 2^16 long; two parabolas stand in for a sine. From -2^15 to 2^15. */
function wave(phase: number): number {
  const half = phase % 0x8000;
  const arch = Math.floor((half * (0x8000 - half)) / 0x2000);
  return phase < 0x8000 ? arch : -arch;
}

function rest(samples: number): number[] {
  return Array.from({ length: samples }, () => SILENCE);
}

function times(count: number, samples: readonly number[]): number[] {
  return Array.from({ length: count }, () => samples).flat();
}

/** Three seconds: ten slides of 0.3 s, each a tone that rises while the heel comes up and falls as it goes back. */
function heelSlides(): number[] {
  return times(10, [...glide(500, 300, 600), ...rest(100), ...glide(500, 600, 300), ...rest(100)]);
}

/** Six seconds: ten steps. The left foot's lasts 0.5 s, the right foot's 0.7 s and sounds higher. */
function unevenSteps(): number[] {
  return times(5, [...glide(320, 220, 180), ...rest(1680), ...glide(320, 330, 270), ...rest(2480)]);
}

/** A clip of the plan: what its file is called, what it says of itself, and its bytes. */
export interface Clip {
  readonly file: string;
  readonly title: string;
  readonly comment: string;
  readonly bytes: Uint8Array;
}

/** Every clip of the plan. */
export function synthesizeClips(): readonly Clip[] {
  return [
    clip(
      'exercises.wav',
      'Pacer of ten heel slides, in miniature',
      'Synthesized, not a recording: ten strokes of 0.3 s for ten slides of about 6 s.',
      heelSlides(),
    ),
    clip(
      'gait.wav',
      'Steps at an uneven interval',
      'Synthesized, not a recording: five times a left step of 0.5 s and a right step of 0.7 s.',
      unevenSteps(),
    ),
  ];
}

function clip(file: string, title: string, comment: string, samples: readonly number[]): Clip {
  return { file, title, comment, bytes: wav(title, comment, samples) };
}

/** A WAV file: 4 kHz, mono, 8-bit PCM, with its title and comment inside. */
function wav(title: string, comment: string, samples: readonly number[]): Uint8Array {
  const format = Buffer.alloc(16);
  format.writeUInt16LE(1, 0);
  format.writeUInt16LE(1, 2);
  format.writeUInt32LE(SAMPLE_RATE, 4);
  format.writeUInt32LE(SAMPLE_RATE, 8);
  format.writeUInt16LE(1, 12);
  format.writeUInt16LE(8, 14);
  const info = [
    Buffer.from('INFO'),
    chunk('INAM', Buffer.from(`${title}\0`)),
    chunk('ICMT', Buffer.from(`${comment}\0`)),
  ];
  const parts = [
    Buffer.from('WAVE'),
    chunk('fmt ', format),
    chunk('LIST', Buffer.concat(info)),
    chunk('data', Buffer.from(samples)),
  ];
  return chunk('RIFF', Buffer.concat(parts));
}

function chunk(name: string, content: Buffer): Buffer {
  const head = Buffer.alloc(8);
  head.write(name, 'ascii');
  head.writeUInt32LE(content.length, 4);
  // A chunk begins at an even place.
  return Buffer.concat([head, content, Buffer.alloc(content.length % 2)]);
}
