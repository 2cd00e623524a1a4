/** Options as the service answers them: JSON, whose bytes are base64url. */
type Options = Readonly<Record<string, unknown>>;

/** Browsers make passkeys for a name only, over HTTPS or on this machine. */
export const hasPasskeys = (): boolean => isSecureContext && typeof PublicKeyCredential === 'function';

/** What an authenticator of the person answers to a challenge; null when they chose none. */
export async function answerOfPasskey(options: Options): Promise<object | null> {
  // Cast: the service makes them for this very function.
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options as unknown as PublicKeyCredentialRequestOptionsJSON);
  return jsonOf(() => navigator.credentials.get({ publicKey }));
}

/** A new passkey, as the service takes it; null when the person gave up. */
export async function madePasskey(options: Options): Promise<object | null> {
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options as unknown as PublicKeyCredentialCreationOptionsJSON);
  return jsonOf(() => navigator.credentials.create({ publicKey }));
}

async function jsonOf(ask: () => Promise<Credential | null>): Promise<object | null> {
  try {
    const credential = await ask();
    return credential instanceof PublicKeyCredential ? credential.toJSON() : null;
  } catch (error) {
    // The person closed the dialog of the browser, or it ran out of time.
    if (error instanceof DOMException && error.name === 'NotAllowedError') return null;
    throw error;
  }
}
