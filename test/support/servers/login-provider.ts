import { generateKeyPairSync } from 'node:crypto';
import type { RequestListener } from 'node:http';
import { jest } from '@jest/globals';
import type { Provider as OpenIdProvider } from 'oidc-provider';
import { type Site, startHttp } from './site.ts';

/** A person whom the provider knows. */
export interface ProviderPerson {
  readonly sub: string;
  readonly email: string;
  readonly email_verified: boolean;
  readonly name: string;
  readonly groups: readonly string[];
}

export const CLIENT = { id: 'watchledger', secret: 'a secret of at least thirty-two characters' } as const;

interface GrantOfProvider {
  addOIDCScope(scope: string): void;
  save(): Promise<string>;
}

interface KoaContext {
  readonly oidc: {
    readonly client: { readonly clientId: string };
    readonly session: { readonly accountId: string };
    readonly provider: { readonly Grant: new (of: object) => GrantOfProvider };
  };
}

/** `oidc-provider` on loopback. Every sign-in is of `person`, at once and without a page. */
export class LoginProvider {
  readonly people = new Map<string, ProviderPerson>();
  person = '';
  private listener: RequestListener = (_, response) => void response.writeHead(503).end();
  private readonly site: { current: Site | undefined } = { current: undefined };

  static async start(redirectUri: string): Promise<LoginProvider> {
    // It names every setting that is for development only.
    for (const level of ['info', 'warn'] as const) jest.spyOn(console, level).mockImplementation(() => undefined);
    const { Provider } = await import('oidc-provider');
    const provider = new LoginProvider(redirectUri, Provider);
    provider.site.current = await startHttp((request, response) => {
      provider.listener(request, response);
    });
    provider.rotateKeys();
    return provider;
  }

  private constructor(
    private readonly redirectUri: string,
    private readonly Provider: typeof OpenIdProvider,
  ) {}

  get issuer(): string {
    return this.site.current?.url ?? '';
  }

  add(person: Partial<ProviderPerson> & Pick<ProviderPerson, 'sub' | 'email'>): void {
    this.people.set(person.sub, { email_verified: true, name: person.sub, groups: [], ...person });
    this.person = person.sub;
  }

  async close(): Promise<void> {
    await this.site.current?.close();
  }

  /** As a provider that is away answers through its balancer. */
  stop(): void {
    this.listener = (_, response) => void response.writeHead(503).end();
  }

  /** Starts again, with another key. */
  rotateKeys(): void {
    const jwk = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' });
    const provider = new this.Provider(this.issuer, {
      jwks: { keys: [{ ...jwk, use: 'sig', alg: 'RS256' }] },
      cookies: { keys: ['a key of the cookies'] },
      clients: [
        {
          client_id: CLIENT.id,
          client_secret: CLIENT.secret,
          redirect_uris: [this.redirectUri],
          token_endpoint_auth_method: 'client_secret_post',
        },
      ],
      scopes: ['openid', 'email', 'profile', 'groups'],
      claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'], groups: ['groups'] },
      findAccount: (_: unknown, sub: string) => {
        const person = this.people.get(sub);
        return person === undefined ? undefined : { accountId: sub, claims: () => person };
      },
      features: { devInteractions: { enabled: false } },
      interactions: { url: (_: unknown, { uid }: { readonly uid: string }) => `/interaction/${uid}` },
      loadExistingGrant: async ({ oidc: { client, session, provider: of } }: KoaContext) => {
        const grant = new of.Grant({ clientId: client.clientId, accountId: session.accountId });
        grant.addOIDCScope('openid email profile groups');
        await grant.save();
        return grant;
      },
    });
    const usual = provider.callback();
    this.listener = (request, response) => {
      if (request.url?.startsWith('/interaction/') !== true) usual(request, response);
      else void provider.interactionFinished(request, response, { login: { accountId: this.person } });
    };
  }
}
