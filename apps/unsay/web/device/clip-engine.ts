/** A clip being played. */
export interface Playing {
  /** Silence, now; neither event follows. */
  readonly stop: () => void;
}

/** Plays sound. */
export interface ClipEngine {
  /** Touch browsers let a page sound only if it asked for that within a gesture. */
  prepare(): void;
  play(bytes: Uint8Array<ArrayBuffer>, events: { ended(): void; failed(): void }): Playing;
}

/** Plays through Web Audio, which takes bytes: a media element would need an address that the page's policy refuses. */
export function webAudioEngine(): ClipEngine {
  let context: AudioContext | null = null;
  const opened = (): AudioContext => {
    context ??= new AudioContext();
    return context;
  };
  return {
    prepare: () => void opened().resume(),
    play(bytes, { ended, failed }) {
      const audio = opened();
      const source = audio.createBufferSource();
      let stopped = false;
      source.onended = () => {
        if (!stopped) ended();
      };
      source.connect(audio.destination);
      audio.decodeAudioData(bytes.buffer).then(
        (buffer) => {
          if (stopped) return;
          source.buffer = buffer;
          source.start();
        },
        () => {
          if (!stopped) failed();
        },
      );
      return {
        stop() {
          stopped = true;
          source.disconnect();
        },
      };
    },
  };
}
