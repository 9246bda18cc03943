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
  return SCOPES[scope] ?? `Something that this page has no words for: ${scope}`;
}

/** The most of a name that is shown. */
const LONGEST_NAME = 80;

/**
 * A name that somebody gave themselves, harmless to look at: one line without characters that are not seen or turn the
 * direction of what follows, and not endless.
 */
export function shownName(name: string): string {
  const visible = name.replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]/gu, '').trim();
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
