import * as oidc from 'openid-client';
import type { CustomFetch } from 'openid-client';
import type { SignInProviderConfig } from '../../platform/config/sign-in-provider.ts';
import { coalesced } from '../../kernel/cached.ts';
import { DomainError } from '../../kernel/errors.ts';
import { codeOf, reasonOf } from '../../kernel/system-error.ts';
import { isComplete, type ProvidedIdentity, readIdentity } from './provided-identity.ts';

/** Metadata, keys and tokens are a few KiB. */
const MAX_BYTES = 256 * 1024;

class ProviderAnswerTooLarge extends Error {
  override readonly name = 'ProviderAnswerTooLarge';
}

/** `fetch` that follows no redirect and refuses an answer beyond a size while it arrives. The caller's signal bounds its time. */
const boundedFetch: CustomFetch = async (url, options) => {
  const { body, ...given } = options;
  const answer = await fetch(url, { ...given, ...(body === undefined ? {} : { body: body as BodyInit }), redirect: 'manual' });
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of (answer.body ?? []) as AsyncIterable<Uint8Array>) {
    size += chunk.byteLength;
    // Leaving the loop cancels the body.
    if (size > MAX_BYTES) throw new ProviderAnswerTooLarge(`the provider answered more than ${String(MAX_BYTES)} bytes`);
    chunks.push(chunk);
  }
  const isBodiless = [101, 204, 205, 304].includes(answer.status);
  return new Response(isBodiless ? null : Buffer.concat(chunks), { status: answer.status, headers: answer.headers });
};

/** The time limit of each request to the provider. */
const TIMEOUT_SECONDS = 5;
/** Endpoints of a provider change rarely, its keys at any time: those are read at each sign-in. */
const METADATA_KEPT_MS = 3600_000;
const CLOCK_TOLERANCE_SECONDS = 30;

/** The provider cannot be reached, or does not work. */
export class SignInProviderUnavailable extends DomainError {
  readonly code = 'SIGN_IN_PROVIDER_UNAVAILABLE';

  constructor(name: string, cause: unknown) {
    super(`${name}, through which people sign in, cannot be reached right now. Please try again.`);
    this.cause = cause;
  }
}

/** The answer of the provider is a refusal, or was forged, used before, or expired. */
export class ProviderSignInRefused extends DomainError {
  readonly code = 'PROVIDER_SIGN_IN_REFUSED';

  constructor(message: string, cause?: unknown) {
    super(message);
    this.cause = cause;
  }
}

/** The deepest cause of a failure, for the operator. */
export function providerFailureOf(error: unknown): string {
  let root = error;
  while (root instanceof Error && root.cause instanceof Error) root = root.cause;
  return reasonOf(root);
}

/** Registered at the provider. */
export const callbackUrl = (publicUrl: string | undefined): string => `${publicUrl ?? ''}/api/authenticate/provider/callback`;

/** What binds the callback to the sign-in that was begun. */
export interface SignInChecks {
  readonly state: string;
  readonly nonce: string;
  readonly codeVerifier: string;
  /** Re-authentication: the person has to prove who they are anew. */
  readonly isFresh: boolean;
}

/** An OpenID Connect provider: authorization code flow with PKCE. */
export class SignInProvider {
  private readonly metadata = coalesced(() => this.discover(), METADATA_KEPT_MS);

  constructor(
    readonly config: SignInProviderConfig,
    private readonly redirectUri: string,
  ) {}

  async authorizationUrl({ state, nonce, codeVerifier, isFresh }: SignInChecks): Promise<string> {
    const client = await this.client();
    const parameters = {
      redirect_uri: this.redirectUri,
      scope: this.config.scopes,
      code_challenge: await oidc.calculatePKCECodeChallenge(codeVerifier),
      code_challenge_method: 'S256',
      state,
      nonce,
      ...(isFresh && { prompt: 'login', max_age: '0' }),
    };
    return oidc.buildAuthorizationUrl(client, parameters).href;
  }

  /** `query`: of the request to the callback. */
  async identify(
    query: URLSearchParams,
    { state, nonce, codeVerifier, isFresh }: SignInChecks,
    startedAt: number,
  ): Promise<ProvidedIdentity> {
    const client = await this.client();
    const callback = new URL(this.redirectUri);
    callback.search = query.toString();
    try {
      const checks = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: codeVerifier, idTokenExpected: true };
      const tokens = await oidc.authorizationCodeGrant(client, callback, checks);
      const idToken: Readonly<Record<string, unknown>> = tokens.claims() ?? {};
      const isEnough = isComplete(this.config, idToken) || client.serverMetadata().userinfo_endpoint === undefined;
      const userInfo = isEnough ? {} : await oidc.fetchUserInfo(client, tokens.access_token, String(idToken['sub']));
      const identity = readIdentity(this.config, idToken, userInfo);
      if (isFresh) this.requireFresh(identity, startedAt);
      return identity;
    } catch (error) {
      throw this.refusalOf(error);
    }
  }

  /** Its endpoints, as its discovery document states them now. */
  async discover(): Promise<oidc.ServerMetadata> {
    const { issuer, clientId, clientSecret } = this.config;
    // oxlint-disable-next-line typescript/no-deprecated -- marked so to stand out
    const execute = this.isInsecure ? [oidc.allowInsecureRequests] : [];
    const options = { [oidc.customFetch]: boundedFetch, timeout: TIMEOUT_SECONDS, execute };
    try {
      const metadata = (await oidc.discovery(new URL(issuer), clientId, clientSecret, undefined, options)).serverMetadata();
      if (new URL(metadata.issuer).href !== new URL(issuer).href) throw new Error(`the issuer calls itself ${metadata.issuer}`);
      // A copy without the helpers that cannot be cloned.
      return { ...metadata };
    } catch (error) {
      throw new SignInProviderUnavailable(this.config.name, error);
    }
  }

  /** Anew for each sign-in: the keys of the provider are kept with it, and a rotation must take effect at once. */
  private async client(): Promise<oidc.Configuration> {
    const { clientId, clientSecret } = this.config;
    const metadata = await this.metadata();
    const methods = metadata.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    const authentication = methods.includes('client_secret_post')
      ? oidc.ClientSecretPost(clientSecret)
      : oidc.ClientSecretBasic(clientSecret);
    const settings = { [oidc.clockTolerance]: CLOCK_TOLERANCE_SECONDS };
    const client = new oidc.Configuration(metadata, clientId, settings, authentication);
    client.timeout = TIMEOUT_SECONDS;
    client[oidc.customFetch] = boundedFetch;
    // oxlint-disable-next-line typescript/no-deprecated -- marked so to stand out
    if (this.isInsecure) oidc.allowInsecureRequests(client);
    // By default the signature of a token that came from the provider itself is not verified.
    oidc.enableNonRepudiationChecks(client);
    return client;
  }

  /** A provider that ignores `prompt` and `max_age` answers at once, without having asked the person. */
  private requireFresh({ authenticatedAt }: ProvidedIdentity, startedAt: number): void {
    const { name } = this.config;
    if (authenticatedAt === null) throw new ProviderSignInRefused(`${name} does not say when you signed in there (the claim auth_time).`);
    if (authenticatedAt.getTime() < startedAt - CLOCK_TOLERANCE_SECONDS * 1000)
      throw new ProviderSignInRefused(`${name} did not ask you to sign in again.`);
  }

  private get isInsecure(): boolean {
    return this.config.issuer.startsWith('http:');
  }

  private refusalOf(error: unknown): DomainError {
    if (error instanceof DomainError) return error;
    const { name } = this.config;
    if (error instanceof oidc.AuthorizationResponseError) {
      const denied = error.error === 'access_denied';
      return new ProviderSignInRefused(`${name} refused the sign-in${denied ? '' : ` (${wordOf(error.error)})`}. Start again.`, error);
    }
    if (error instanceof oidc.ResponseBodyError && error.error === 'invalid_grant')
      return new ProviderSignInRefused(`This sign-in through ${name} was used already or has expired. Start again.`, error);
    const code = codeOf(error);
    if (code !== undefined && FORGED.has(code))
      return new ProviderSignInRefused(`The answer of ${name} does not belong to a sign-in that was begun here. Start again.`, error);
    this.metadata.forget();
    return new SignInProviderUnavailable(name, error);
  }
}

/** The answer can be read, and is not what it should be. */
const FORGED: ReadonlySet<string> = new Set([
  'OAUTH_INVALID_RESPONSE',
  'OAUTH_JWT_CLAIM_COMPARISON_FAILED',
  'OAUTH_JWT_TIMESTAMP_CHECK_FAILED',
  'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED',
  'OAUTH_KEY_SELECTION_FAILED',
]);

/** Error codes come from the request, so only their usual letters are shown. */
const wordOf = (code: string): string => (/^[a-z_]{1,40}$/.test(code) ? code : 'unknown reason');
