import type { ClientReport } from './report.ts';

/** What a person reads of the reports. */
export function textOf(reports: readonly ClientReport[]): string {
  if (reports.length === 0) return 'No client has come yet.\n';
  return reports.map(sectionOf).join('\n');
}

function sectionOf(report: ClientReport): string {
  const rows = [
    ['phase', `${report.phase}, ${report.day}`],
    [
      'era',
      `${report.era ?? 'did not speak the protocol'} (${report.revisions.join(', ') || 'no revision named'})`,
    ],
    ['first', report.firstMethod ?? 'no message'],
    ['methods', report.methods.join(', ') || 'none'],
    ['can', JSON.stringify(report.capabilities)],
    ['walk', report.walk.join(' → ') || 'none'],
    ['retries', `${report.retries} of ${report.requests} requests`],
    ['odd', report.oddities.join('; ') || 'nothing'],
  ];
  const lines = rows.map(([name = '', value]) => `  ${name.padEnd(8)} ${value}`);
  return `${report.client} ${report.version}\n${lines.join('\n')}\n`;
}
