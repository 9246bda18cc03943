import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { GitHubOptions } from '../src/git/github-repository.ts';
import { type RunningServer, serveOnNode } from '../src/http/node-server.ts';
import { type OpenPress, openPress } from '../src/open-press.ts';
import { createPress } from '../src/press.ts';
import { seedDemonstration } from '../src/seed-demonstration.ts';

/** A Press of a test's own, on a free port of loopback. */
export interface StartedPress {
  /** Its address, with no slash at the end. */
  readonly url: string;
  /** Where operations are posted. */
  readonly api: string;
  /** The data folder. */
  readonly folder: string;
  readonly parts: OpenPress;
  /** What must not have happened and did. */
  readonly faults: readonly unknown[];
  /** Makes an operator token. */
  operatorToken(label: string): Promise<string>;
  /** Makes a token for the admin page. */
  adminToken(label: string): Promise<string>;
  /** Sends a request to the API. */
  operate(
    token: string,
    request: unknown,
  ): Promise<{ readonly status: number; readonly body: Record<string, unknown> }>;
  close(): Promise<void>;
}

/** What a test may choose. */
export interface StartOptions {
  /** A folder that stays; without one, a temporary one that goes when Press is closed. */
  readonly folder?: string;
  /** Whether an empty repository is filled with the demonstration. */
  readonly seed?: boolean;
  /** Where the posts are, when they are not in the folder. */
  readonly gitHub?: GitHubOptions;
  /** Milliseconds since 1970; by default seconds from the morning of 2026-12-01, one a reading. */
  readonly now?: () => number;
}

/** Starts a Press. */
export async function startPress({
  folder,
  seed = false,
  gitHub,
  now,
}: StartOptions = {}): Promise<StartedPress> {
  const path = folder ?? mkdtempSync(join(tmpdir(), 'press-'));
  let at = Date.parse('2026-12-01T08:00:00Z');
  const clock = (): number => {
    at += 1000;
    return at;
  };
  const parts = await openPress(path, { now: now ?? clock, draw: randomBytes }, gitHub ?? null);
  if (seed) await seedDemonstration(parts);
  const faults: unknown[] = [];
  let server: RunningServer | undefined;
  const site = () => ({
    title: 'Far Post',
    description: 'A made-up harbour.',
    url: server?.url ?? 'http://127.0.0.1',
  });
  server = await serveOnNode(createPress({ ...parts, site, onFault: (error) => faults.push(error) }), {
    host: '127.0.0.1',
    port: 0,
  });
  const { url, close } = server;
  const api = `${url}/api/operator`;
  const token = async (role: 'operator' | 'admin', label: string): Promise<string> => {
    const added = await parts.tokens.add(role, label);
    if (added.kind === 'refused') throw new Error(added.reason);
    return added.token;
  };
  return {
    url,
    api,
    folder: path,
    parts,
    faults,
    operatorToken: (label) => token('operator', label),
    adminToken: (label) => token('admin', label),
    async operate(bearer, request) {
      const response = await fetch(api, {
        method: 'POST',
        headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
        body: JSON.stringify(request),
      });
      return { status: response.status, body: (await response.json()) as Record<string, unknown> };
    },
    async close() {
      await close();
      parts.close();
      if (folder === undefined) rmSync(path, { recursive: true, force: true });
    },
  };
}
