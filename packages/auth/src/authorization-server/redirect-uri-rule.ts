const MAX_LENGTH = 2048;
// No spaces, controls, backslashes or anything that must be escaped in a URI (RFC 3986, section 2).
const URI_CHARACTERS = /^[A-Za-z0-9\-._~:/?[\]@!$&'()*+,;=%]+$/;
const LOOPBACK_HOSTS: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

/** Schemes that a browser or its system acts on by itself: none of them hands a code to an application. */
const SCHEMES_OF_THE_SYSTEM: ReadonlySet<string> = new Set(
  (
    'javascript vbscript data blob file filesystem about view-source resource chrome chrome-extension ' +
    'moz-extension ftp ws wss mailto tel sms urn jar intent search search-ms shell help ldap ldaps ssh telnet smb ' +
    'nfs afp vnc rdp magnet steam itms itms-apps itms-services market geo maps facetime skype callto res mk mhtml'
  ).split(' '),
);
/** Families of them: those of Windows and of its programs. */
const FAMILIES_OF_THE_SYSTEM = /^(?:ms|microsoft|windows)[-.]|^x-apple|^com\.apple\./;

/**
 * Why a client may not have the authorization response sent there, as the end of a sentence that begins with
 * the address; undefined when it may. Allowed are https, http to the same machine (RFC 8252, section 7.3) and
 * an application's own scheme (section 7.1).
 */
export function faultOfRedirectUri(uri: string): string | undefined {
  if (uri.length > MAX_LENGTH) return `must have at most ${MAX_LENGTH} characters`;
  if (uri.includes('#')) return 'must not have a fragment';
  const url = URL.parse(uri);
  if (url === null || !URI_CHARACTERS.test(uri)) return 'must be an absolute URI';
  if (url.username !== '' || url.password !== '') return 'must not have a user name or password';
  const scheme = url.protocol.slice(0, -1);
  if (SCHEMES_OF_THE_SYSTEM.has(scheme) || FAMILIES_OF_THE_SYSTEM.test(scheme))
    return `must not use the ${scheme} scheme`;
  if (scheme === 'http' && !LOOPBACK_HOSTS.has(url.hostname)) {
    return 'must use https unless it is on localhost, 127.0.0.1 or [::1]';
  }
  return undefined;
}
