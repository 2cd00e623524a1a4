import { isIP } from 'node:net';
import { createHmac } from 'node:crypto';
import type { Config } from '../../platform/config/config.ts';
import { ownOrigin } from '../../platform/config/own-origin.ts';
import { PasskeysUnavailable } from '../../platform/http/errors/refusals.ts';
import type { Secrets } from '../../platform/security/keyring/secrets.ts';
import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/server';
import { CHALLENGE_SECONDS } from './challenges.ts';
import type { PasskeyRow } from './factor-store.ts';

/** The site for which passkeys are made: `PUBLIC_URL`, whose host must be a name. Browsers make none for a bare address. */
export function relyingPartyOf({ publicUrl, host, port }: Pick<Config, 'publicUrl' | 'host' | 'port'>): RelyingParty | null {
  const { origin, hostname } = new URL(ownOrigin({ publicUrl, host, port }));
  return isIP(hostname.replace(/^\[|\]$/g, '')) === 0 ? { id: hostname, origin } : null;
}

export function requireRelyingParty(config: Pick<Config, 'publicUrl' | 'host' | 'port'>): RelyingParty {
  const party = relyingPartyOf(config);
  if (party === null) throw new PasskeysUnavailable();
  return party;
}

/** WebAuthn's `user.id`: the same for every passkey of an account, and without meaning to anybody else. */
export async function userHandle(secrets: Secrets, userId: number): Promise<Uint8Array<ArrayBuffer>> {
  const secret = await secrets.secret('second-factors');
  return new Uint8Array(
    createHmac('sha256', secret)
      .update(JSON.stringify(['user handle', userId]))
      .digest(),
  );
}

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

/** Loaded at the first passkey: its 250 modules took a fifth of the start. */
const webAuthn = () => import('@simplewebauthn/server');

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

export const registrationOptions = async (
  party: RelyingParty,
  { handle, email, name }: PasskeyOwner,
  challenge: Uint8Array,
  known: readonly PasskeyRow[],
): Promise<PublicKeyCredentialCreationOptionsJSON> =>
  (await webAuthn()).generateRegistrationOptions({
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
export const authenticationOptions = async (
  { id }: RelyingParty,
  challenge: Uint8Array,
  known: readonly PasskeyRow[],
): Promise<PublicKeyCredentialRequestOptionsJSON> =>
  (await webAuthn()).generateAuthenticationOptions({
    rpID: id,
    challenge: new Uint8Array(challenge),
    timeout: CHALLENGE_SECONDS * 1000,
    userVerification: known.length === 0 ? 'required' : 'preferred',
    ...(known.length === 0 ? {} : { allowCredentials: known.map(({ credentialId }) => ({ id: credentialId })) }),
  });

/** Answers null when the response is not what an authenticator answers to this challenge for this site. */
export async function verifyRegistration(
  { id, origin }: RelyingParty,
  response: RegistrationResponseJSON,
  challenge: string,
): Promise<NewPasskey | null> {
  const [{ verifyRegistrationResponse }, { decodeAttestationObject }] = await Promise.all([
    webAuthn(),
    import('@simplewebauthn/server/helpers'),
  ]);
  const verified = await orNull(async () => {
    if (!isUnattested(response, decodeAttestationObject)) return null;
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
function isUnattested(
  { response }: RegistrationResponseJSON,
  decode: typeof import('@simplewebauthn/server/helpers').decodeAttestationObject,
): boolean {
  const attestation = decode(new Uint8Array(Buffer.from(response.attestationObject, 'base64url')));
  const format = attestation.get('fmt');
  return format === 'none' || (format === 'packed' && attestation.get('attStmt').get('x5c') === undefined);
}

/** Answers null when the signature, the challenge, the site or the kind of answer is wrong. */
export async function verifyAuthentication(
  { id, origin }: RelyingParty,
  response: AuthenticationResponseJSON,
  { credentialId, publicKey }: PasskeyRow,
  challenge: string,
): Promise<PasskeyAnswer | null> {
  const { verifyAuthenticationResponse } = await webAuthn();
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
    const said: unknown = JSON.parse(Buffer.from(response.clientDataJSON, 'base64url').toString());
    return typeof said === 'object' && said !== null && 'challenge' in said && typeof said.challenge === 'string' ? said.challenge : '';
  } catch {
    return '';
  }
}
