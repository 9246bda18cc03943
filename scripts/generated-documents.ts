import { spawnSync } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ROOT } from './bootstrap.mjs';
import { chainVectors } from './chain-vectors.ts';

/** A document, or a part of one, that follows from something else. */
export interface GeneratedDocument {
  readonly path: string;
  /** What the whole file should say, given what it says now; empty where there is none. */
  readonly text: (now: string) => string;
}

/** Every one of them. The clips have a script of their own, and docs/clients.md comes of real clients. */
export const GENERATED: readonly GeneratedDocument[] = [
  { path: 'docs/spec/vectors/chain.json', text: chainVectors },
  { path: 'docs/settings.md', text: settingsPage },
  { path: 'ARCHITECTURE.md', text: (now) => withPart(now, 'workspaces', workspaceTable()) },
];

/** The text of a document as it is, empty where there is none. */
export function readDocument(path: string): string {
  const file = join(ROOT, path);
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
}

interface SettingLine {
  readonly setting: string;
  readonly value: string;
  readonly what: string;
}

/** The settings as the program itself tells them to somebody who has set none. */
function settingsPage(): string {
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('UNSAY_')));
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(ROOT, 'apps/unsay/src/cli/unsay.ts'), 'config', '--json'],
    { cwd: ROOT, encoding: 'utf8', env },
  );
  if (status !== 0) throw new Error(`unsay config ended with ${status}: ${stderr}`);
  const { settings } = JSON.parse(stdout) as { settings: readonly SettingLine[] };
  const rows = settings.map(({ setting, value, what }) => {
    const flag = `--${setting.replace('UNSAY_', '').toLowerCase().replaceAll('_', '-')}`;
    return `| \`${setting}\` | \`${flag}\` | ${value === '' ? '' : `\`${value}\``} | ${what} |`;
  });
  return `# Settings

Each is an environment variable and a flag; a flag counts before a variable. \`unsay config\` prints the effective ones
and where each comes from. This page is generated.

| variable | flag | default | what it is |
| --- | --- | --- | --- |
${rows.join('\n')}
`;
}

interface Manifest {
  readonly name: string;
  readonly dependencies?: Readonly<Record<string, string>>;
}

function workspaceTable(): string {
  const { workspaces } = JSON.parse(readDocument('package.json')) as { workspaces: readonly string[] };
  const files = workspaces.flatMap((pattern) => globSync(`${pattern}/package.json`, { cwd: ROOT })).sort();
  const manifests = files.map((file) => ({
    folder: dirname(file).replaceAll('\\', '/'),
    ...(JSON.parse(readDocument(file)) as Manifest),
  }));
  const ours = new Map(manifests.map(({ name, folder }) => [name, folder]));
  const rows = manifests.map(({ folder, dependencies = {} }) => {
    const names = Object.keys(dependencies).sort();
    const uses = names.flatMap((name) => ours.get(name) ?? []).map((name) => `\`${name}\``);
    const libraries = names.filter((name) => !ours.has(name)).map((name) => `\`${name}\``);
    return `| \`${folder}\` | ${uses.join(', ')} | ${libraries.join(', ')} |`;
  });
  return `| workspace | builds on | and on these libraries |\n| --- | --- | --- |\n${rows.join('\n')}\n`;
}

/** A document with one marked part of it exchanged. */
export function withPart(document: string, name: string, part: string): string {
  const [begin, end] = [`<!-- generated: ${name} -->\n`, `<!-- end of ${name} -->`];
  const [from, to] = [document.indexOf(begin), document.indexOf(end)];
  if (from < 0 || to < from)
    throw new Error(`there is no place for ${name}: mark it with ${begin.trim()} and ${end}`);
  return document.slice(0, from + begin.length) + part + document.slice(to);
}
