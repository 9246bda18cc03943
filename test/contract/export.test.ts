import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, watch, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type CommandResult,
  endGroup,
  exportLines,
  ROOT,
  type RunningServer,
  removeFolder,
  run,
  startServer,
  startToItsEnd,
  temporaryFolder,
  testEnvironment,
} from '../harness/running-server.ts';
import { publish } from '../harness/signed-write.ts';

const folder = temporaryFolder();
const file = join(folder, 'export.jsonl');
let server: RunningServer;
let whole: string;

beforeAll(async () => {
  server = await startServer(join(folder, 'data'));
  for (let count = 0; count < 40; count += 1)
    await publish(server.url, `care://ray/topic-${count % 5}`, `Said ${count}.`);
  const exported = await server.unsay('export');
  expect(exported).toMatchObject({ code: 0, stderr: '' });
  whole = exported.stdout;
  writeFileSync(file, whole);
});

afterAll(async () => {
  await server?.kill();
  removeFolder(folder);
});

function unsayOn(data: string, ...args: string[]): Promise<CommandResult> {
  return run('npm', ['run', '--silent', 'unsay', '--', ...args], testEnvironment(data, {}));
}

/** The verifier by itself, as someone runs it who has the file and nothing else. */
function verifier(...args: string[]): Promise<CommandResult> {
  return run(process.execPath, [join(ROOT, 'proofs/verifier/src/verify.ts'), ...args], process.env);
}

function changed(name: string, from: string, to: string): string {
  const path = join(folder, name);
  expect(whole).toContain(from);
  writeFileSync(path, whole.replace(from, to));
  return path;
}

describe('an export', () => {
  it('verifies with nothing of the server’s, and by the command line alike', async () => {
    const verdict = { intact: true, chains: 13, versions: 49, erased: 0, broken: [] };
    const alone = await verifier('--json', file);
    expect([alone.code, alone.stderr, JSON.parse(alone.stdout)]).toEqual([0, '', verdict]);
    const ours = await unsayOn(join(folder, 'none'), 'verify', '--export', file, '--json');
    expect([ours.code, ours.stderr, JSON.parse(ours.stdout)]).toEqual([0, '', verdict]);
    expect(JSON.parse((await server.unsay('verify', '--json')).stdout)).toEqual(verdict);
    const inWords = (await verifier(file)).stdout.trimEnd().split('\n');
    expect(inWords.slice(0, 5).map((line) => line.replace(/^\d\. .+: /, ''))).toEqual(Array(5).fill('ok'));
    expect(inWords.at(-1)).toBe('13 chains, 49 versions, intact');
  });

  it('that was changed is refused by both, and the version is named', async () => {
    const path = changed('changed.jsonl', '"Said 6."', '"Said 7."');
    for (const found of [
      await verifier('--json', path),
      await unsayOn(join(folder, 'none'), 'verify', '--export', path, '--json'),
    ]) {
      expect(found.code).toBe(1);
      expect(JSON.parse(found.stdout)).toMatchObject({
        intact: false,
        broken: [{ uri: 'care://ray/topic-1', version: 2 }],
      });
      expect(found.stderr).toContain('NOT intact');
    }
  });

  it('that was cut off is refused', async () => {
    const path = join(folder, 'cut.jsonl');
    writeFileSync(path, whole.slice(0, whole.lastIndexOf('\n', whole.length - 2) + 1));
    expect(await verifier(path)).toMatchObject({ code: 1, stdout: expect.stringContaining('cut off') });
  });

  it.each([[[]], [['a', 'b']], [['--frobnicate', 'a']]])('is not verified as %j', async (args) => {
    expect(await verifier(...args)).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('Usage'),
    });
  });

  it('is refused in one sentence where there is no such file', async () => {
    const missing = join(folder, 'missing');
    expect(await verifier(missing)).toMatchObject({ code: 1, stderr: expect.stringMatching(/^ENOENT.*\n$/) });
    const ours = await unsayOn(join(folder, 'none'), 'verify', '--export', missing);
    expect(ours).toMatchObject({ code: 1, stderr: expect.stringMatching(/^.*cannot be read.*\n$/) });
  });

  it('says in its help that it is in clear', async () => {
    expect((await server.unsay('export', '--help')).stdout).toContain('in clear');
  });

  it('taken during writes is the store as it was at one moment', async () => {
    let ended = false;
    const exporting = server.unsay('export').finally(() => {
      ended = true;
    });
    for (let count = 0; !ended; count += 1)
      await publish(server.url, `care://ray/meanwhile-${count % 5}`, `Said meanwhile ${count}.`);
    const path = join(folder, 'meanwhile.jsonl');
    writeFileSync(path, (await exporting).stdout);
    expect(await verifier(path)).toMatchObject({ code: 0, stdout: expect.stringContaining(', intact') });
  });

  it('that nobody reads to its end leaves the server as it was', async () => {
    const head = await run(
      'bash',
      ['-c', 'npm run --silent unsay -- export | head -c 1000'],
      testEnvironment(server.data, {}),
    );
    expect([head.code, head.stdout.length, head.stderr]).toEqual([0, 1000, '']);
    expect(server.faults()).toBe('');
    expect(await server.operate('verify')).toMatchObject({ intact: true });
  });
});

describe('the chains that a server shows', () => {
  it('verify from afar: those of everybody, and those of a token', async () => {
    const anyone = await unsayOn(join(folder, 'none'), 'verify', '--url', server.url, '--json');
    const chains = JSON.parse(anyone.stdout) as { chains: number };
    expect([anyone.code, chains]).toEqual([0, expect.objectContaining({ intact: true, broken: [] })]);
    const token = await server.mint('care.read.user care.read.assistant');
    const all = await unsayOn(
      join(folder, 'none'),
      'verify',
      '--url',
      server.url,
      '--token',
      token,
      '--json',
    );
    expect((JSON.parse(all.stdout) as { chains: number }).chains).toBe(chains.chains + 2);
    const refused = await unsayOn(join(folder, 'none'), 'verify', '--url', server.url, '--token', 'x');
    expect(refused).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('refused the token'),
    });
  });
});

describe('an import', () => {
  const versionsIn = (text: string): string[] =>
    text.split('\n').filter((line) => line.includes('"type":"version"'));

  it('into a new folder is the same store, served and written to as before', async () => {
    const data = join(folder, 'imported');
    expect(await unsayOn(data, 'import', file)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('49 versions, intact'),
    });
    expect(versionsIn((await unsayOn(data, 'export')).stdout)).toEqual(versionsIn(whole));
    const imported = await startServer(data);
    const verified = await fetch(`${imported.url}/verify?subject=ray&topic=topic-1`);
    const next = await publish(imported.url, 'care://ray/topic-1', 'Said after the import.');
    await imported.kill();
    expect(await verified.json()).toMatchObject({ chains: [{ uri: 'care://ray/topic-1', intact: true }] });
    expect(next.version).toBe(9);
  });

  it('into a running server that is empty works alike; into one that is not, it is refused', async () => {
    const empty = await startServer(join(folder, 'empty'), { UNSAY_SEED: 'none' });
    const imported = await empty.unsay('import', file);
    const again = await empty.unsay('import', file);
    const versions = (await empty.exported()).filter(({ type }) => type === 'version');
    await empty.kill();
    expect([imported.code, versions.length]).toEqual([0, 49]);
    expect(again).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('not empty') });
  });

  it('of a file that does not verify writes nothing, not even a folder', async () => {
    const data = join(folder, 'refused');
    const path = changed('bad.jsonl', '"Said 6."', '"Said 7."');
    const refused = await unsayOn(data, 'import', path);
    expect(refused).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('Nothing was imported.'),
    });
    expect(existsSync(data)).toBe(false);
  });

  it.each([3, 30, 90])(
    'that was killed at change %d of its folder is finished by the same file',
    async (changes) => {
      const data = join(folder, `killed-at-${changes}`);
      mkdirSync(data);
      const child = spawn('npm', ['run', '--silent', 'unsay', '--', 'import', file], {
        cwd: ROOT,
        env: testEnvironment(data, {}),
        detached: true,
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      const watcher = watch(data);
      await new Promise<void>((resolve) => {
        let seen = 0;
        watcher.on('change', () => {
          seen += 1;
          if (seen === changes) resolve();
        });
        void once(child, 'close').then(() => resolve());
      });
      await endGroup(child, 'SIGKILL');
      watcher.close();
      const env = testEnvironment(data, {});
      const started = existsSync(join(data, 'unsay.db'))
        ? await unsayOn(data, 'verify')
        : { code: 1, stderr: '' };
      const finished = await run('npm', ['run', '--silent', 'unsay', '--', 'import', file], env);
      const after = await unsayOn(data, 'export');
      // Killed after its last write, it was finished: the store is then not empty, and whole.
      if (finished.code !== 0) expect(finished.stderr).toContain('not empty');
      if (started.code !== 0 && started.stderr !== '') expect(started.stderr).toContain('was not finished');
      expect(versionsIn(after.stdout)).toEqual(versionsIn(whole));
      expect(exportLines(after.stdout).filter(({ via }) => via === 'import')).toHaveLength(49);
    },
  );

  it('that is not finished keeps a server from starting', async () => {
    const data = join(folder, 'unfinished');
    await unsayOn(data, 'import', file);
    const { DatabaseSync } = await import('node:sqlite');
    const connection = new DatabaseSync(join(data, 'unsay.db'));
    const trailer = JSON.parse(readFileSync(file, 'utf8').trimEnd().split('\n').at(-1) ?? '') as {
      sha256: string;
    };
    connection.prepare("UPDATE meta SET value = ? WHERE key = 'import'").run(Buffer.from(trailer.sha256));
    connection.close();
    const refused = await startToItsEnd(testEnvironment(data, {}));
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('was not finished') });
    expect(await unsayOn(data, 'import', file)).toMatchObject({ code: 0 });
  });
});
