import { readFileSync } from 'node:fs';
import { readAudit } from '../access/audit.ts';
import { judgePost } from '../gates/judge-post.ts';
import { isSlug } from '../gates/slug.ts';
import { publishAndKeep, saidOfPublishing } from '../http/admin-page.ts';
import { bringUpToDate } from '../posts/bring-up-to-date.ts';
import { postStatus } from '../posts/status.ts';
import { type Command, EXIT, UsageError, withPress, word } from './command.ts';

const MOST_AUDIT_ROWS = 100_000;

/** What an admin does with posts. */
export const POST_COMMANDS: Readonly<Record<string, Command>> = {
  publish: {
    usage: 'publish SLUG --revision REVISION',
    what: 'Publishes exactly the text that you read: a revision is in the answers of get and save, and on the admin page.',
    words: 1,
    options: { revision: true },
    begins: false,
    run(invocation) {
      const { options, print, complain } = invocation;
      const slug = word(invocation, 0, 'SLUG');
      const { revision } = options;
      if (typeof revision !== 'string')
        throw new UsageError('--revision is missing: say which text you have read.');
      if (!isSlug(slug)) throw new UsageError(`${JSON.stringify(slug)} is no slug.`);
      return withPress(invocation, async (press) => {
        const outcome = await publishAndKeep(press, { label: 'command-line', slug, revision });
        if (options.json === true) print(JSON.stringify(outcome));
        else if (outcome.kind === 'done') print(`${slug} is live at revision ${outcome.revision}.`);
        else complain(saidOfPublishing(outcome));
        return outcome.kind === 'done' ? EXIT.success : EXIT.no;
      });
    },
  },
  status: {
    usage: 'status',
    what: 'Says whether repository, database and search index agree, and exits 1 when they do not.',
    words: 0,
    options: {},
    begins: false,
    run: (invocation) =>
      withPress(invocation, async (press) => {
        const status = await postStatus(press);
        invocation.print(invocation.options.json === true ? JSON.stringify(status) : status.message);
        return status.inSync ? EXIT.success : EXIT.no;
      }),
  },
  sync: {
    usage: 'sync',
    what: 'Brings the database and the search index to what the repository says.',
    words: 0,
    options: {},
    begins: false,
    run: (invocation) =>
      withPress(invocation, async (press) => {
        const { head: commit } = await bringUpToDate(press);
        const { json } = invocation.options;
        invocation.print(json === true ? JSON.stringify({ commit }) : `Everything is at commit ${commit}.`);
        return EXIT.success;
      }),
  },
  check: {
    usage: 'check FILE [--slug SLUG]',
    what: 'Runs every gate over a file, and exits 1 when one refuses it.',
    words: 1,
    options: { slug: true },
    begins: false,
    async run(invocation) {
      const { options, print } = invocation;
      const file = word(invocation, 0, 'FILE');
      const slug = typeof options.slug === 'string' ? options.slug : 'a-post';
      const judged = judgePost(slug, readFile(file));
      const problems = judged.kind === 'refused' ? judged.problems : [];
      if (options.json === true) print(JSON.stringify({ passes: problems.length === 0, problems }));
      else if (problems.length === 0) print(`${file} passes every gate.`);
      else
        for (const { rule, line, column, message } of problems)
          print(`${file}:${line}:${column} ${rule}: ${message}`);
      return problems.length === 0 ? EXIT.success : EXIT.no;
    },
  },
  audit: {
    usage: 'audit',
    what: 'Prints who tried to change which post, and what became of it, oldest first.',
    words: 0,
    options: {},
    begins: false,
    run: (invocation) =>
      withPress(invocation, async ({ database }) => {
        for (const row of await readAudit(database, MOST_AUDIT_ROWS)) {
          const { at, role, label, operation, slug, outcome, commit } = row;
          const line = [at, `${role} ${label}`, operation, slug ?? '(no slug)', outcome, commit ?? ''].join(
            '  ',
          );
          invocation.print(invocation.options.json === true ? JSON.stringify(row) : line.trimEnd());
        }
        return EXIT.success;
      }),
  },
};

function readFile(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    throw new UsageError(`${path} cannot be read.`);
  }
}
