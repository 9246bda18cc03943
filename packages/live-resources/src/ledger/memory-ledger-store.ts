import type { LaneFilter } from '../store.ts';
import type { DerivedText } from './derived-text.ts';
import type { FactsOf, LedgerStore } from './ledger-store.ts';
import type { ListenerId } from './listener.ts';
import { type Sentence, stands } from './sentence.ts';

/** A ledger that forgets everything at exit: for tests and for programs that own no disk. */
export function createMemoryLedgerStore(): LedgerStore {
  const kept = new Map<string, Sentence>();
  const texts = new Map<string, DerivedText>();

  const keyOf = ({ listener, subject, topic, version, takesBack, text }: Sentence): string =>
    [listener, subject, topic, version, takesBack, text].join('/');
  const about = (listener: ListenerId, { subject, topics }: FactsOf): Sentence[] =>
    [...kept.values()].filter(
      (each) => each.listener === listener && each.subject === subject && topics.includes(each.topic),
    );
  const standing = ({ subjects, audiences }: LaneFilter): Sentence[] =>
    [...kept.values()].filter(
      (each) =>
        stands(each) && (subjects === '*' || subjects.has(each.subject)) && audiences.includes(each.audience),
    );

  return {
    async change(listener, facts, decide) {
      // In one turn of the event loop, so that nothing comes in between.
      for (const sentence of decide(about(listener, facts))) kept.set(keyOf(sentence), sentence);
    },
    async sentences(listener, facts) {
      return about(listener, facts);
    },
    async standing(listener, lanes) {
      return standing(lanes).filter((each) => each.listener === listener);
    },
    async listeners(lanes) {
      return [...new Set(standing(lanes).map(({ listener }) => listener))].sort();
    },
    async keep(text) {
      texts.set(`${text.subject}/${text.id}`, text);
    },
    async text(subject, id) {
      return texts.get(`${subject}/${id}`) ?? null;
    },
  };
}
