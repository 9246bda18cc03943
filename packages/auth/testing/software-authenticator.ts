import { createHash, generateKeyPairSync, sign } from 'node:crypto';
import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/server';
import { isoCBOR } from '@simplewebauthn/server/helpers';
import { createTestCertificate } from './test-certificate.ts';

type Cbor = Parameters<typeof isoCBOR.encode>[0];

const PRESENT = 0x01;
const VERIFIED = 0x04;
const WITH_KEY = 0x40;

/** What a browser and an authenticator do otherwise than they should. */
export interface Misbehaviour {
  readonly origin?: string;
  readonly rpId?: string;
  readonly challenge?: string;
  readonly type?: string;
  readonly clientData?: object;
  readonly isUserVerified?: boolean;
  readonly isUserPresent?: boolean;
  readonly counter?: number;
  /** Vouches for the key: by itself (`packed`), or with a certificate (`fido-u2f`). */
  readonly attestation?: 'self' | 'certified';
}

/** One authenticator with one passkey on P-256, and the browser in front of it. Every response is really signed. */
export function createSoftwareAuthenticator(origin: string, credentialId = 'credential-1') {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const id = Buffer.from(credentialId).toString('base64url');
  let count = 0;

  function authenticatorData(rpId: string, flags: number, how: Misbehaviour, key = Buffer.alloc(0)): Buffer {
    const present = (how.isUserPresent ?? true) ? PRESENT : 0;
    const verified = (how.isUserVerified ?? true) ? VERIFIED : 0;
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(how.counter ?? count);
    return Buffer.concat([sha256(how.rpId ?? rpId), Buffer.from([flags | present | verified]), counter, key]);
  }

  function clientData(type: string, challenge: string, how: Misbehaviour): Buffer {
    const told = {
      type: how.type ?? type,
      challenge: how.challenge ?? challenge,
      origin: how.origin ?? origin,
      crossOrigin: false,
    };
    return Buffer.from(JSON.stringify({ ...told, ...how.clientData }));
  }

  function coseKey(): Uint8Array {
    const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
    const members: [number, number | Uint8Array][] = [
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, new Uint8Array(Buffer.from(x, 'base64url'))],
      [-3, new Uint8Array(Buffer.from(y, 'base64url'))],
    ];
    return isoCBOR.encode(new Map(members));
  }

  function attest(how: Misbehaviour['attestation'], authData: Buffer, toldHash: Buffer): [string, Cbor][] {
    const signed = (...parts: Buffer[]) => new Uint8Array(sign('sha256', Buffer.concat(parts), privateKey));
    if (how === undefined)
      return [
        ['fmt', 'none'],
        ['attStmt', new Map()],
      ];
    if (how === 'self') {
      const statement = new Map<string, Cbor>([
        ['alg', -7],
        ['sig', signed(authData, toldHash)],
      ]);
      return [
        ['fmt', 'packed'],
        ['attStmt', statement],
      ];
    }
    const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
    const point = Buffer.concat([Buffer.from([4]), Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')]);
    const sig = signed(Buffer.alloc(1), authData.subarray(0, 32), toldHash, Buffer.from(credentialId), point);
    const x5c = [new Uint8Array(createTestCertificate({ publicKey, privateKey }))];
    return [
      ['fmt', 'fido-u2f'],
      [
        'attStmt',
        new Map<string, Cbor>([
          ['sig', sig],
          ['x5c', x5c],
        ]),
      ],
    ];
  }

  return {
    id,
    create(
      options: PublicKeyCredentialCreationOptionsJSON,
      how: Misbehaviour = {},
    ): RegistrationResponseJSON {
      const idBytes = Buffer.from(credentialId);
      const idLength = Buffer.alloc(2);
      idLength.writeUInt16BE(idBytes.length);
      const key = Buffer.concat([Buffer.alloc(16), idLength, idBytes, coseKey()]);
      const authData = authenticatorData(options.rp.id ?? '', WITH_KEY, how, key);
      const told = clientData('webauthn.create', options.challenge, how);
      const attestation = isoCBOR.encode(
        new Map<string, Cbor>([
          ...attest(how.attestation, authData, createHash('sha256').update(told).digest()),
          ['authData', new Uint8Array(authData)],
        ]),
      );
      return {
        id,
        rawId: id,
        type: 'public-key',
        response: {
          clientDataJSON: told.toString('base64url'),
          attestationObject: Buffer.from(attestation).toString('base64url'),
          transports: ['internal'],
        },
        clientExtensionResults: {},
      };
    },
    /** Signs in, with a counter that grows unless told otherwise. */
    get(options: PublicKeyCredentialRequestOptionsJSON, how: Misbehaviour = {}): AuthenticationResponseJSON {
      count += 1;
      const authData = authenticatorData(options.rpId ?? '', 0, how);
      const told = clientData('webauthn.get', options.challenge, how);
      const signature = sign(
        'sha256',
        Buffer.concat([authData, createHash('sha256').update(told).digest()]),
        privateKey,
      );
      return {
        id,
        rawId: id,
        type: 'public-key',
        response: {
          clientDataJSON: told.toString('base64url'),
          authenticatorData: authData.toString('base64url'),
          signature: signature.toString('base64url'),
        },
        clientExtensionResults: {},
      };
    },
  };
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
