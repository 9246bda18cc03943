import { openScene, WRITER } from './scene.ts';
import { type Finding, finding } from './target.ts';

const FACTS = 64;
const ROUNDS = 9;
const READS = 5000;

/** Reading a fact of a sealed store with its key and its words in memory. */
export async function reading(folder: string): Promise<Finding> {
  const scene = await openScene(folder, 'reading');
  try {
    const uris = Array.from({ length: FACTS }, (_, n) => `fact://ray/topic-${n}`);
    for (const uri of uris) await scene.publish(uri);
    const read = async (): Promise<void> => {
      for (let count = 0; count < READS; count += 1) {
        const found = await scene.live.read(WRITER, uris[count % FACTS] ?? '');
        if (found.kind !== 'found') throw new Error(`a read ended as ${found.kind}`);
      }
    };
    await read();
    const rounds: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const before = process.cpuUsage();
      await read();
      const { user, system } = process.cpuUsage(before);
      rounds.push((user + system) / READS);
    }
    return finding('a read from the store, sealed (CPU)', 'most', 60, 'µs', rounds, 'key and version cached');
  } finally {
    scene.close();
  }
}
