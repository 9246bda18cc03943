import { join } from 'node:path';
import { type Finding, finding } from '../mechanism/target.ts';
import { median } from '../statistics.ts';
import { COLLECT_WHEN_TOLD, collectedKib, startScript } from './server-process.ts';
import { type Scene, type Size, startOn } from './serving-scene.ts';
import { RAW_STREAMS, rawSide, type Side, unsaySide } from './sides.ts';
import { StreamLoad } from './stream-load.ts';

/** Streams that are open before memory is looked at, so that what is made once is not counted. */
const WARM_STREAMS = 200;

/** Memory of an idle stream: Unsay and plain node:http, each in a new process for each round. */
export async function streams(scene: Scene, { idleStreams, memoryRounds }: Size): Promise<Finding[]> {
  const each = { unsay: [] as number[], raw: [] as number[] };
  for (let round = 0; round < memoryRounds; round += 1) {
    const unsay = await startOn(scene, join(scene.folder, `idle-${round}`), COLLECT_WHEN_TOLD);
    scene.closers.push(unsay.stop);
    const raw = await startScript(
      scene.cores,
      RAW_STREAMS,
      [JSON.stringify(scene.sample)],
      COLLECT_WHEN_TOLD,
    );
    scene.closers.push(raw.stop);
    const sides = [unsaySide(scene, unsay), rawSide(scene, raw)];
    for (const side of round % 2 === 0 ? sides : sides.toReversed())
      each[side.name].push(await kibOfOne(side, idleStreams));
    await unsay.stop();
    await raw.stop();
  }
  const ratios = each.unsay.map((kib, round) => kib / (each.raw[round] ?? Number.NaN));
  const beside = `unsay ${median(each.unsay).toFixed(1)}, raw ${median(each.raw).toFixed(1)} KiB a stream, ${idleStreams} open`;
  return [finding('memory of a stream ÷ raw stream', 'most', 1.5, '×', ratios, beside)];
}

async function kibOfOne({ port, pid, listen }: Side, count: number): Promise<number> {
  const load = new StreamLoad(port, listen);
  try {
    await load.add(WARM_STREAMS);
    const before = await collectedKib(pid);
    await load.add(count - WARM_STREAMS);
    return ((await collectedKib(pid)) - before) / (count - WARM_STREAMS);
  } finally {
    load.close();
  }
}
