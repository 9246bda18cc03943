export { canonicalJson, type Json } from './canonical-json.ts';
export { type Line, readLines } from './lines.ts';
export { type Attempt, type ExportRecord, parseRecord, type Version } from './records.ts';
export { type Report, reportText, type StepReport } from './report.ts';
export { EXPORT_FORMAT, verifyExport } from './verify-export.ts';
