import { createHash } from 'node:crypto';
import { faultOfAttempt, faultOfRow } from './audit.ts';
import { checkChains } from './chains.ts';
import { checkLanes, type LaneFault } from './lanes.ts';
import { readLines } from './lines.ts';
import { COUNTED_TYPES, type CountedType, type ExportRecord, parseRecord } from './records.ts';
import { collectFindings, type Findings, type Report } from './report.ts';
import { hashOf, TUPLE_FORMAT, tupleOf } from './tuple.ts';

/** The only format of an export that there is. */
export const EXPORT_FORMAT = 'unsay-export/1';

/**
 * Verifies an export (docs/spec/export.md) in one pass, keeping the heads of facts and lanes and nothing of
 * their versions. Whatever the bytes are, it ends with a report.
 */
export async function verifyExport(source: AsyncIterable<Uint8Array>): Promise<Report> {
  const findings = collectFindings();
  const frame = checkFrame(findings);
  const content = checkContent(findings);
  const hash = createHash('sha256');
  for await (const line of readLines(source)) {
    const add = (what: string): void => findings.add('frame', `line ${line.number} ${what}`);
    if (!line.whole) add('is not ended');
    const record = line.text === null ? 'is not UTF-8' : parseRecord(line.text);
    if (typeof record === 'string') add(record);
    const digest = typeof record !== 'string' && record.type === 'trailer' ? hash.copy().digest('hex') : '';
    hash.update(line.bytes);
    frame.next(record, line.number, digest);
    if (typeof record !== 'string') content.next(record, line.number);
  }
  frame.end();
  const counted = content.end();
  const steps = findings.reports();
  const intact = counted.broken.length === 0 && steps.every(({ faults }) => faults === 0);
  return { intact, ...counted, steps };
}

/** Places of the types in the order of a file. */
const PLACES: Readonly<Record<ExportRecord['type'], number>> = {
  header: 0,
  meta: 1,
  fact: 2,
  lane: 3,
  audit: 4,
  counted: 5,
  version: 6,
  erased: 6,
  trailer: 7,
};

/** Steps 1 and 2, as far as they are about more than one line. */
function checkFrame(findings: Findings) {
  const counts = Object.fromEntries(COUNTED_TYPES.map((type) => [type, 0])) as Record<CountedType, number>;
  let lines = 0;
  let place = -1;
  let trailers = 0;
  let previousKey = '';
  return {
    next(record: ExportRecord | string, number: number, digest: string): void {
      lines += 1;
      if (trailers > 0) findings.add('trailer', `line ${number} comes after the trailer`);
      if (typeof record === 'string') return;
      const own = PLACES[record.type];
      const repeats = own === place && (record.type === 'header' || record.type === 'trailer');
      if (own < place || repeats || (place === -1 && own !== 0))
        findings.add('frame', `line ${number} is out of order: ${record.type}`);
      const key = sortKey(record);
      if (own === place && key !== null && key <= previousKey)
        findings.add('frame', `line ${number} is out of order among its type`);
      previousKey = key ?? '';
      place = own;
      if (record.type === 'header') {
        if (record.format !== EXPORT_FORMAT) findings.add('frame', `line ${number} has an unknown format`);
      } else if (record.type === 'trailer') {
        trailers += 1;
        if (record.sha256 !== digest) findings.add('trailer', 'the hash is not that of the lines before it');
        for (const type of COUNTED_TYPES) {
          if (record.counts[type] === counts[type]) continue;
          findings.add(
            'trailer',
            `${record.counts[type]} lines of type ${type} are said, ${counts[type]} are there`,
          );
        }
      } else {
        counts[record.type] += 1;
      }
    },
    end(): void {
      if (lines === 0) findings.add('frame', 'the file is empty');
      if (trailers === 0) findings.add('trailer', 'there is none: the file was cut off');
    },
  };
}

/** What lines of one type are ordered by; a NUL sorts before everything that a name holds. */
function sortKey(record: ExportRecord): string | null {
  if (record.type === 'meta') return record.key;
  if (record.type === 'fact') return record.uri;
  return record.type === 'lane' ? `${record.subject}\0${record.audience}` : null;
}

/** Steps 3 to 5. */
function checkContent(findings: Findings) {
  const chains = checkChains();
  const lanes = checkLanes();
  const schemes = new Map<string, string>();
  let [erased, versions] = [0, 0];
  let auditHash: string | null = null;

  function checkVersion(record: Extract<ExportRecord, { type: 'version' | 'erased' }>, number: number): void {
    versions += 1;
    const isErased = record.type === 'erased';
    if (isErased) erased += 1;
    const tuple = isErased ? record.tuple : tupleOf(record);
    const sound =
      typeof tuple !== 'string' && tuple.format === TUPLE_FORMAT && hashOf(tuple) === record.versionHash;
    if (!sound) {
      const why = typeof tuple === 'string' ? tuple : 'has another hash than its tuple';
      findings.add('commitments and tuples', `line ${number} ${why}`);
    }
    const stated = isErased ? record.tuple : record;
    lanes.next(record.subject, stated.audience, stated.laneOrdinal, stated.writtenAt);
    const scheme = chains.next(record, sound ? tuple : null);
    if (scheme !== null && !schemes.has(stated.audience)) schemes.set(stated.audience, scheme);
  }

  function laneUri({ subject, audience }: LaneFault): string {
    return `${schemes.get(audience) ?? audience}://${subject}/`;
  }

  return {
    next(record: ExportRecord, number: number): void {
      if (record.type === 'fact') chains.head(record);
      else if (record.type === 'lane') lanes.head(record.subject, record.audience, record);
      else if (record.type === 'version' || record.type === 'erased') checkVersion(record, number);
      else if (record.type === 'audit' || record.type === 'counted') {
        const fault = record.type === 'audit' ? faultOfRow(record, auditHash) : faultOfAttempt(record);
        if (fault !== null) findings.add('lanes and audit', `line ${number}: the attempt ${fault}`);
        if (record.type === 'audit') auditHash = record.hash;
      }
    },
    end() {
      const broken = chains.end();
      for (const { uri, version } of broken)
        findings.add('chains and heads', `${uri} is broken at version ${version}`);
      const laneFaults = lanes.end();
      for (const fault of laneFaults)
        findings.add(
          'lanes and audit',
          `the lane ${laneUri(fault)} is broken at ${fault.ordinal}: ${fault.what}`,
        );
      const places = laneFaults.map((fault) => ({ uri: laneUri(fault), version: fault.ordinal }));
      return { chains: chains.count(), versions, erased, broken: [...broken, ...places] };
    },
  };
}
