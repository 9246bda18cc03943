/** The variables that npm sets for a script. */
type Environment = Readonly<Record<string, string | undefined>>;

// The package of the clone, and those of its scripts that are this program.
const CLONE = 'unsay-house';
const SCRIPTS: ReadonlySet<string> = new Set(['start', 'unsay', 'seed', 'verify']);

/**
 * A command of Unsay as whoever reads this would type it: `unsay verify` where it is installed, and from a
 * clone, in which there is no such program, `npm run --silent unsay -- verify`.
 */
export function asTyped(command: string, environment: Environment = process.env): string {
  const { npm_package_name: packageName, npm_lifecycle_event: script = '' } = environment;
  if (packageName !== CLONE || !SCRIPTS.has(script)) return `unsay ${command}`;
  return command === 'serve' ? 'npm start' : `npm run --silent unsay -- ${command}`;
}
