/** One thing to run in a fresh clone, by npm. */
export interface Step {
  readonly script: string;
  readonly args: readonly string[];
}

// Servers run until they are stopped, and this script would call itself.
const WITHOUT_END: ReadonlySet<string> = new Set(['start', 'probe', 'fresh-clone']);

// What a script needs so that it says something, or ends soon.
const ARGUMENTS: Readonly<Record<string, readonly string[]>> = {
  unsay: ['help'],
  press: ['help'],
  simulate: ['--seeds', '20'],
};

/** Every script of the clone that ends by itself, tests first, where they are wanted. */
export function freshClonePlan(
  scripts: readonly string[],
  options: { readonly test: boolean },
): readonly Step[] {
  const others = scripts.filter((script) => script !== 'test' && !WITHOUT_END.has(script));
  const all = options.test && scripts.includes('test') ? ['test', ...others] : others;
  return all.map((script) => ({ script, args: ARGUMENTS[script] ?? [] }));
}

/**
 * The environment of somebody who has just cloned: a PATH without this clone's own programs, an empty HOME, and of
 * all else only what says how to reach a package registry.
 */
export function freshEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
  home: string,
  ownBinaries: string,
): Readonly<Record<string, string>> {
  const kept = /^(https?_proxy|no_proxy|npm_config_registry|node_extra_ca_certs|ssl_cert_file|lang|tmpdir)$/i;
  const given = Object.entries(environment).flatMap(([name, value]) =>
    kept.test(name) && value !== undefined ? [[name, value]] : [],
  );
  const path = (environment.PATH ?? '').split(':').filter((folder) => !folder.startsWith(ownBinaries));
  // Free ports, so that a server that runs already is in nobody's way.
  return { ...Object.fromEntries(given), PATH: path.join(':'), HOME: home, UNSAY_PORT: '0' };
}
