#!/usr/bin/env node
import { createReadStream } from 'node:fs';
import { parseArgs } from 'node:util';
import { reportText } from './report.ts';
import { verifyExport } from './verify-export.ts';

const USAGE = `Usage: verify.ts [--json] FILE

Verifies an export of Unsay (docs/spec/export.md) with no code of Unsay's; - is standard input.

Exits 0 when it is intact, 1 when it is not or cannot be read, 2 when this was called wrongly.
`;

async function main(args: string[]): Promise<number> {
  const options = { json: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } } as const;
  const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
  if (values.help) {
    process.stdout.write(USAGE);
    return 0;
  }
  const [file, ...others] = positionals;
  if (file === undefined || others.length > 0) throw new TypeError('One FILE is needed.');
  const report = await verifyExport(file === '-' ? process.stdin : createReadStream(file));
  const { steps: _steps, ...result } = report;
  process.stdout.write(`${values.json ? JSON.stringify(result) : reportText(report)}\n`);
  if (values.json && !report.intact) process.stderr.write(`${reportText(report)}\n`);
  return report.intact ? 0 : 1;
}

process.exitCode = await main(process.argv.slice(2)).catch((error: Error) => {
  // The parser of arguments throws TypeErrors; everything else is about the file.
  const wrongUse = error instanceof TypeError;
  process.stderr.write(`${error.message}\n${wrongUse ? USAGE : ''}`);
  return wrongUse ? 2 : 1;
});
