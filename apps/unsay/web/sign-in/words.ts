/** What a client asked for, in words for the person whose facts they are. */
const SCOPES: Readonly<Record<string, string>> = {
  'care.read.user': 'Read what may be said aloud',
  'care.read.assistant': 'Read background notes that must never be said aloud',
  'care.write': 'Publish, correct and take back facts in your name',
  'care.speak': 'Say facts aloud as a device',
  'care.audit': 'Read who tried to change what',
};

/** A scope as a sentence; one that this page does not know is shown as it is, and not left out. */
export function wordsOfScope(scope: string): string {
  const words = Object.hasOwn(SCOPES, scope) ? SCOPES[scope] : undefined;
  return words ?? `Something that this page has no words for: ${scope}`;
}

/** Controls, letters that fonts leave blank (fillers, the empty braille pattern), and what no font has. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cn}\p{Co}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/gu;

/** The most of a name that is shown. */
const LONGEST_NAME = 80;

/**
 * A name that somebody gave themselves, harmless to look at: one line without characters that are not seen or turn the
 * direction of what follows, and not endless.
 */
export function shownName(name: string): string {
  const visible = name.replace(UNSEEN, '').trim();
  const letters = Array.from(visible);
  if (letters.length === 0) return 'An application without a name';
  return letters.length > LONGEST_NAME ? `${letters.slice(0, LONGEST_NAME).join('')}…` : visible;
}

/** What is said of a sign-in that another provider did not complete. What the address says of it is not believed. */
export function wordsOfProblem(problem: string | null): string | null {
  if (problem === 'not_enrolled')
    return 'You signed in there, and nobody has granted you anything here yet. Ask whoever runs this server.';
  return problem === null ? null : 'The sign-in there was not completed. Try again, or use a passkey.';
}

const LOOPBACK = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?$/;

/**
 * Where the answer goes, for the person to check, when that is not the host that is shown; null when it is. A program on
 * the person's own computer is one of any number, and whichever of them listens gets in.
 */
export function wordsOfRedirect(host: string, redirectHost: string): string | null {
  const isHere = LOOPBACK.test(redirectHost);
  if (host === redirectHost) return isHere ? 'That is a program on the computer you sit at.' : null;
  const place = isHere ? 'a program on the computer you sit at' : 'another address';
  return `What you allow is handed to ${place}:`;
}
