import {
  type AuthenticationResponseJSON,
  generateAuthenticationOptions,
  generateRegistrationOptions,
  type PublicKeyCredentialCreationOptionsJSON,
  type PublicKeyCredentialRequestOptionsJSON,
  type RegistrationResponseJSON,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from '@simplewebauthn/server';
import { decodeAttestationObject, decodeClientDataJSON } from '@simplewebauthn/server/helpers';
import { CHALLENGE_SECONDS } from './challenges.ts';
import type { PasskeyRow } from './factor-store.ts';

export type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
};

/** The site for which a passkey is good: host name and origin of `PUBLIC_URL`. */
export interface RelyingParty {
  readonly id: string;
  readonly origin: string;
}

export type NewPasskey = Pick<PasskeyRow, 'credentialId' | 'publicKey' | 'counter' | 'transports'>;

/** An answer whose signature is right. Whether its counter grew is decided where it is stored. */
export interface PasskeyAnswer {
  readonly counter: number;
  /** The authenticator has checked a PIN or a biometric: the passkey is two factors by itself. */
  readonly userVerified: boolean;
}

const RELYING_PARTY_NAME = 'Watchledger';
/** EdDSA, ES256, RS256 (COSE). */
const ALGORITHMS = [-8, -7, -257];
const TRANSPORT = /^[a-z-]{1,20}$/;
/** CTAP 2 allows 1023 bytes. */
const LONGEST_CREDENTIAL_ID = 1_364;

export interface PasskeyOwner {
  /** The same for all passkeys of an account, and without meaning to others. */
  readonly handle: Uint8Array<ArrayBuffer>;
  readonly email: string;
  readonly name: string;
}

export const registrationOptions = (
  party: RelyingParty,
  { handle, email, name }: PasskeyOwner,
  challenge: Uint8Array,
  known: readonly PasskeyRow[],
): Promise<PublicKeyCredentialCreationOptionsJSON> =>
  generateRegistrationOptions({
    rpName: RELYING_PARTY_NAME,
    rpID: party.id,
    userID: handle,
    userName: email,
    userDisplayName: name,
    challenge: new Uint8Array(challenge),
    timeout: CHALLENGE_SECONDS * 1000,
    attestationType: 'none',
    excludeCredentials: known.map(({ credentialId: id }) => ({ id })),
    supportedAlgorithmIDs: ALGORITHMS,
  });

/** Without `known`, the authenticator offers what it holds for the site. */
export const authenticationOptions = (
  { id }: RelyingParty,
  challenge: Uint8Array,
  known: readonly PasskeyRow[],
): Promise<PublicKeyCredentialRequestOptionsJSON> =>
  generateAuthenticationOptions({
    rpID: id,
    challenge: new Uint8Array(challenge),
    timeout: CHALLENGE_SECONDS * 1000,
    userVerification: known.length === 0 ? 'required' : 'preferred',
    ...(known.length === 0 ? {} : { allowCredentials: known.map(({ credentialId }) => ({ id: credentialId })) }),
  });

/** Null: not what an authenticator answers to this challenge for this site. */
export async function verifyRegistration(
  { id, origin }: RelyingParty,
  response: RegistrationResponseJSON,
  challenge: string,
): Promise<NewPasskey | null> {
  const verified = await orNull(async () => {
    if (!isUnattested(response)) return null;
    return verifyRegistrationResponse({
      response,
      expectedChallenge: challenge,
      expectedOrigin: origin,
      expectedRPID: id,
      requireUserVerification: false,
      supportedAlgorithmIDs: ALGORITHMS,
    });
  });
  if (verified?.verified !== true) return null;
  const { id: credentialId, publicKey, counter } = verified.registrationInfo.credential;
  if (credentialId.length > LONGEST_CREDENTIAL_ID) return null;
  const transports: readonly unknown[] = Array.isArray(response.response.transports) ? response.response.transports : [];
  const kept = transports.filter((one): one is string => typeof one === 'string' && TRANSPORT.test(one)).slice(0, 10);
  return { credentialId, publicKey, counter, transports: kept };
}

/**
 * No attestation was asked for. One that holds certificates is refused before it is verified, because that would fetch addresses that stand in
 * them (SSRF); browsers remove it.
 */
function isUnattested({ response }: RegistrationResponseJSON): boolean {
  const attestation = decodeAttestationObject(new Uint8Array(Buffer.from(response.attestationObject, 'base64url')));
  const format = attestation.get('fmt');
  return format === 'none' || (format === 'packed' && attestation.get('attStmt').get('x5c') === undefined);
}

/** Null: the signature, the challenge, the site or the kind of answer is wrong. */
export async function verifyAuthentication(
  { id, origin }: RelyingParty,
  response: AuthenticationResponseJSON,
  { credentialId, publicKey }: PasskeyRow,
  challenge: string,
): Promise<PasskeyAnswer | null> {
  const verified = await orNull(() =>
    verifyAuthenticationResponse({
      response,
      expectedChallenge: challenge,
      expectedOrigin: origin,
      expectedRPID: id,
      requireUserVerification: false,
      // The counter is compared when it is stored, in one statement.
      credential: { id: credentialId, publicKey, counter: 0 },
    }),
  );
  if (verified?.verified !== true) return null;
  const { newCounter, userVerified } = verified.authenticationInfo;
  return { counter: newCounter, userVerified };
}

/** The library throws at whatever it cannot read. */
async function orNull<Result>(verify: () => Promise<Result | null>): Promise<Result | null> {
  try {
    return await verify();
  } catch {
    return null;
  }
}

/** The challenge that a response says it answers; the empty text when it says none. */
export function challengeIn({ response }: { readonly response: { readonly clientDataJSON: string } }): string {
  try {
    const { challenge }: { challenge: unknown } = decodeClientDataJSON(response.clientDataJSON);
    return typeof challenge === 'string' ? challenge : '';
  } catch {
    return '';
  }
}
