/** OpenID Connect Core 1.0, section 2. */
const MAX_SUB_LENGTH = 255;
const MAX_ISSUER_LENGTH = 300;
const ASCII = /^[\x20-\x7e]+$/;
/** What stands for itself in an account id. All of it can be typed in a shell without quotes. */
const NOT_PLAIN = /[^A-Za-z0-9._@:/~+=-]/g;

/**
 * The account id of a person whom an OpenID provider knows as `sub`, such as `https://id.example#4711`. Issuer and `sub`
 * are percent-encoded where they are not plain, so the one `#` between them tells them apart: two people never get one
 * id, also when another provider is configured later, and no name without a `#` is one. Undefined for what OpenID
 * Connect does not allow: an empty `sub`, a longer one than 255 characters, or one that is not ASCII.
 */
export function accountIdOf(issuer: string, sub: unknown): string | undefined {
  if (typeof sub !== 'string' || sub.length > MAX_SUB_LENGTH || !ASCII.test(sub)) return undefined;
  if (issuer.length > MAX_ISSUER_LENGTH || !ASCII.test(issuer)) return undefined;
  return `${encode(issuer)}#${encode(sub)}`;
}

function encode(text: string): string {
  return text.replace(
    NOT_PLAIN,
    (character) => `%${character.charCodeAt(0).toString(16).padStart(2, '0').toUpperCase()}`,
  );
}
