import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';

/** A credential id has at most 1023 bytes (Web Authentication, level 3, section 4). */
const MAX_ID_CHARACTERS = 1364;
/** Far more than the members of a response have, and little enough to decode without harm. */
const MAX_MEMBER_CHARACTERS = 16_384;
const BASE64URL = /^[A-Za-z0-9_-]+$/;

/** Web Authentication, level 3, section 5.8.4, and what browsers said before it. */
const TRANSPORTS = ['ble', 'cable', 'hybrid', 'internal', 'nfc', 'smart-card', 'usb'] as const;

/**
 * What `PublicKeyCredential.toJSON()` gives in a page that enrols a passkey, with the members that are used and no
 * other; undefined for any other form.
 */
export function readAttestation(value: unknown): RegistrationResponseJSON | undefined {
  const read = readCredential(value);
  if (read === undefined) return undefined;
  const { id, response } = read;
  const { clientDataJSON, attestationObject, transports } = response;
  if (!isMember(clientDataJSON) || !isMember(attestationObject)) return undefined;
  const known = TRANSPORTS.filter((name) => Array.isArray(transports) && transports.includes(name));
  return {
    id,
    rawId: id,
    type: 'public-key',
    response: { clientDataJSON, attestationObject, transports: known },
    clientExtensionResults: {},
  };
}

/** The same for a page that signs in. The user handle is not read: nothing signs it, and the credential has an owner. */
export function readAssertion(value: unknown): AuthenticationResponseJSON | undefined {
  const read = readCredential(value);
  if (read === undefined) return undefined;
  const { id, response } = read;
  const { clientDataJSON, authenticatorData, signature } = response;
  if (!isMember(clientDataJSON) || !isMember(authenticatorData) || !isMember(signature)) return undefined;
  return {
    id,
    rawId: id,
    type: 'public-key',
    response: { clientDataJSON, authenticatorData, signature },
    clientExtensionResults: {},
  };
}

function readCredential(value: unknown): { readonly id: string; readonly response: Members } | undefined {
  if (!isObject(value)) return undefined;
  const { id, rawId, type, response } = value;
  const isCredential =
    isMember(id) && id.length <= MAX_ID_CHARACTERS && rawId === id && type === 'public-key';
  return isCredential && isObject(response) ? { id, response } : undefined;
}

type Members = Readonly<Record<string, unknown>>;

function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null;
}

function isMember(value: unknown): value is string {
  return typeof value === 'string' && value.length <= MAX_MEMBER_CHARACTERS && BASE64URL.test(value);
}
