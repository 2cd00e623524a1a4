import type { Config } from '../../platform/config/config.ts';
import { callbackUrl, providerFailureOf, SignInProvider } from '../../accounts/identities/sign-in-provider.ts';
import { type Diagnosis, fail, ok, warn } from './finding.ts';

const NAME = 'sign-in provider';

export async function examineSignInProvider({ signInProvider: config, publicUrl, registration }: Config): Promise<readonly Diagnosis[]> {
  if (config === undefined) return [];
  const provider = new SignInProvider(config, callbackUrl(publicUrl));
  try {
    const { authorization_endpoint: begin, token_endpoint: token, jwks_uri: keys } = await provider.discover();
    if (begin === undefined || token === undefined || keys === undefined)
      return [fail(NAME, `${config.issuer} names no endpoints for signing in`, 'is OIDC_ISSUER an OpenID Connect provider?')];
  } catch (error) {
    const reason = providerFailureOf(error);
    return [fail(NAME, `${config.issuer}: ${reason}`, 'is it up, and is OIDC_ISSUER exactly what its tokens name as issuer?')];
  }
  const found = ok(NAME, `${config.issuer} answers; it must allow the redirect address ${callbackUrl(publicUrl)}`);
  if (registration !== 'open' || config.domains.length === 0) return [found];
  return [
    found,
    warn(NAME, 'REGISTRATION is open beside OIDC_DOMAINS', 'people of other domains can register with a password: is that wanted?'),
  ];
}
