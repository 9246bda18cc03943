import type { RunningServer } from '../harness/running-server.ts';

/** The address of the metrics, as the server printed it. */
export function metricsAddress({ lines }: Pick<RunningServer, 'lines'>): string {
  const address = lines
    .map((line) => /metrics at (http:\/\/127\.0\.0\.1:\d+\/metrics)$/.exec(line)?.[1])
    .find(Boolean);
  if (address === undefined) throw new Error('the server printed no address of metrics');
  return address;
}

/** What the server counts, by name and labels. */
export async function readMetrics(
  server: Pick<RunningServer, 'lines'>,
): Promise<ReadonlyMap<string, number>> {
  const text = await (await fetch(metricsAddress(server))).text();
  const samples = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    samples.map((line) => {
      const space = line.lastIndexOf(' ');
      return [line.slice(0, space), Number(line.slice(space + 1))];
    }),
  );
}
