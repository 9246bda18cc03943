// What every driver does with its client, and how it tells of it: one JSON object a line on standard output.
// Plain JavaScript, because what it imports is installed on demand and has no types before that.

export const FACT = 'care://ray/wound';
const PATIENCE_MS = 15_000;

/** Where to, and with what: `driver.mjs URL [--token TOKEN] [--era modern|legacy] [--sign-in [--document URL]]`. */
export function readArguments() {
  const [url, ...rest] = process.argv.slice(2);
  const valueAfter = (name) => (rest.includes(name) ? rest[rest.indexOf(name) + 1] : undefined);
  return {
    url,
    token: valueAfter('--token'),
    era: valueAfter('--era'),
    signsIn: rest.includes('--sign-in'),
    document: valueAfter('--document'),
  };
}

export function bearer(token) {
  return token === undefined ? {} : { authorization: `Bearer ${token}` };
}

/** Does one thing after the other; what fails is told and ends nothing but itself. A client without a step leaves it out. */
export async function perform(steps) {
  for (const [act, step] of Object.entries(steps)) {
    try {
      const detail = await withPatience(step());
      tell({ act, ok: true, detail: String(detail ?? '') });
    } catch (error) {
      tell({ act, ok: false, detail: shortened(error) });
      if (act === 'connect') break;
    }
  }
  process.exit(0);
}

export function tell(line) {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

/** Tells that a subscription stands, so that whoever reads this corrects the fact, and waits for the news. */
export function untilTold(subscribe) {
  const heard = Promise.withResolvers();
  return async () => {
    await subscribe((uri) => heard.resolve(uri));
    tell({ act: 'following', ok: true, detail: FACT });
    return `told of ${await heard.promise}`;
  };
}

function withPatience(promise) {
  let timer;
  const late = new Promise((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`nothing for ${PATIENCE_MS / 1000} s`)), PATIENCE_MS);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

function shortened(error) {
  const text = error instanceof Error ? error.message : String(error);
  return text.split('\n')[0].slice(0, 160);
}
