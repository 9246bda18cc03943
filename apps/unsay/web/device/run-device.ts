import type { ConnectionState } from '../live/connection.ts';
import { maySpeak } from '../live/fact.ts';
import type { TokenSource } from '../live/pairing.ts';
import type { OpenSession } from '../live/session.ts';
import { byId, setText } from '../page/element.ts';
import { type FollowedFacts, followFacts } from '../page/follow-facts.ts';
import { browserScheduler, every } from '../page/scheduler.ts';
import { chooseEngine } from '../speech/choose-engine.ts';
import { CaptionView } from './caption-view.ts';
import { webAudioEngine } from './clip-engine.ts';
import { ClipPlayer } from './clip-player.ts';
import { ClipView } from './clip-view.ts';
import { FactsView } from './facts-view.ts';
import { SaidView } from './said-view.ts';
import { Speaker } from './speaker.ts';

/** What a device needs besides its document, which has the elements that the views look for. */
export interface DeviceParts {
  readonly open: OpenSession;
  readonly pairing: TokenSource;
  /** Builds what shows where the connection stands; `retry` tries again at once. */
  readonly standingOf: (retry: () => void) => { show(state: ConnectionState): void };
}

/** A device that says its facts, and takes back what was said when it is no longer so. */
export async function runDevice({ open, pairing, standingOf }: DeviceParts): Promise<{ stop(): void }> {
  const engine = await chooseEngine(browserScheduler);
  const standing = standingOf(() => facts.connection.retryNow());
  const captionView = new CaptionView();
  const clipView = new ClipView();
  const factsView = new FactsView({ say: (uri) => say([uri]), toggleClip });
  const saidView = new SaidView();

  const facts: FollowedFacts = followFacts({
    open,
    pairing,
    follows: maySpeak,
    events: {
      suspect(uri) {
        clips.suspect(uri);
        speaker.suspect(uri);
      },
      confirmed(fact) {
        clips.confirmed(fact);
        speaker.confirmed(fact);
      },
      unconfirmed(uri) {
        clips.unconfirmed(uri);
        speaker.unconfirmed(uri);
      },
      absent(uri) {
        clips.absent(uri);
        speaker.absent(uri);
      },
      detached() {
        clips.stop('disconnected');
        speaker.disconnect();
      },
      state,
    },
  });
  const { reader, connection } = facts;

  const speaker = new Speaker({
    engine,
    now: () => browserScheduler.now(),
    changed: render,
    source: {
      fact: (uri) => reader.fact(uri),
      standing: (uri) => reader.standing(uri),
      refresh: (uri) => void reader.refresh(uri),
      retractionFrom: (uri, version) => facts.retractionFrom(uri, version),
    },
  });

  const clips = new ClipPlayer({
    engine: webAudioEngine(),
    refresh: (uri) => void reader.refresh(uri),
    changed: render,
  });

  function state(next: ConnectionState): void {
    standing.show(next);
    if (next.status === 'live') speaker.connect();
    render();
  }

  function say(uris: readonly string[]): void {
    unlockVoice();
    speaker.say(uris);
  }

  function toggleClip(uri: string): void {
    const { state } = clips;
    if (state.kind === 'playing' && state.uri === uri) clips.stop('stopped');
    else clips.play(uri);
  }

  function stop(): void {
    clips.stop('stopped');
    speaker.stop();
  }

  let unlocked = false;

  /** Touch browsers let a page speak later only if it spoke within a gesture once; what is said waits for a read. */
  function unlockVoice(): void {
    if (unlocked || engine.kind === 'silent' || !matchMedia('(pointer: coarse)').matches) return;
    unlocked = true;
    speechSynthesis.speak(new SpeechSynthesisUtterance(''));
  }

  function render(): void {
    // What is said, above all what is taken back, is never drowned by a sound.
    if (speaker.busy) clips.stop('speech');
    const live = connection.state.status === 'live';
    const { caption, queue } = speaker;
    clipView.show(clips.state);
    captionView.show(caption, speaker.engine, live);
    saidView.show(speaker.said);
    factsView.show(reader.facts(), ({ uri }) => ({
      standing: reader.standing(uri),
      live,
      queued: queue.includes(uri),
      speaking: caption.uri === uri && caption.word !== null,
      silent: !speaker.busy,
      playing: clips.state.kind === 'playing' && clips.state.uri === uri,
      now: facts.serverNow(),
    }));
    byId('say-all').setAttribute('aria-disabled', String(!live || reader.facts().length === 0));
    byId('stop').setAttribute('aria-disabled', String(!speaker.busy && !clips.busy));
    setText(
      byId('engine'),
      speaker.engine === 'voice'
        ? 'A voice on this machine speaks.'
        : 'No voice on this machine: the words are shown at the pace of speech.',
    );
  }

  byId('say-all').addEventListener('click', () => say(reader.facts().map(({ uri }) => uri)));
  byId('stop').addEventListener('click', stop);
  addEventListener('pagehide', stop);
  every(browserScheduler, 30_000, render);
  render();
  connection.start();
  return { stop };
}
