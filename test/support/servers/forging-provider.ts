import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Site, startHttp } from './site.ts';

export interface SigningKey {
  readonly kid: string;
  readonly privateKey: KeyObject;
  readonly jwk: object;
}

export function newSigningKey(kid: string): SigningKey {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return { kid, privateKey, jwk: { ...publicKey.export({ format: 'jwk' }), kid, alg: 'RS256', use: 'sig' } };
}

const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

export function signedToken({ kid, privateKey }: SigningKey, claims: object): string {
  const text = `${encode({ alg: 'RS256', kid })}.${encode(claims)}`;
  return `${text}.${sign('sha256', Buffer.from(text), privateKey).toString('base64url')}`;
}

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

const answerJson =
  (body: object): Answer =>
  (_, response) =>
    void response.setHeader('content-type', 'application/json').end(JSON.stringify(body));

/** An OpenID provider whose every answer the test decides: discovery, keys, tokens, claims. */
export class ForgingProvider {
  published: readonly SigningKey[] = [newSigningKey('first')];
  metadata: Readonly<Record<string, unknown>> = {};
  idToken: () => string = () => '';
  userInfo: object = {};
  /** Instead of what a path usually answers. */
  readonly instead = new Map<string, Answer>();
  readonly asked: string[] = [];

  private constructor(private readonly site: { current: Site | undefined }) {}

  static async start(): Promise<ForgingProvider> {
    const site: { current: Site | undefined } = { current: undefined };
    const provider = new ForgingProvider(site);
    site.current = await startHttp((request, response) => {
      provider.answer(request, response);
    });
    return provider;
  }

  get issuer(): string {
    return this.site.current?.url ?? '';
  }

  async close(): Promise<void> {
    await this.site.current?.close();
  }

  private answer(request: IncomingMessage, response: ServerResponse): void {
    const path = new URL(request.url ?? '', this.issuer).pathname;
    this.asked.push(path);
    const { issuer } = this;
    const usual: Readonly<Record<string, Answer>> = {
      '/.well-known/openid-configuration': answerJson({
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        jwks_uri: `${issuer}/keys`,
        userinfo_endpoint: `${issuer}/me`,
        id_token_signing_alg_values_supported: ['RS256'],
        token_endpoint_auth_methods_supported: ['client_secret_post'],
        authorization_response_iss_parameter_supported: true,
        ...this.metadata,
      }),
      '/keys': answerJson({ keys: this.published.map(({ jwk }) => jwk) }),
      '/token': (_, answered) => {
        answerJson({ access_token: 'access', token_type: 'Bearer', expires_in: 60, id_token: this.idToken() })(request, answered);
      },
      '/me': answerJson(this.userInfo),
    };
    const answer = this.instead.get(path) ?? usual[path];
    if (answer === undefined) response.writeHead(404).end();
    else answer(request, response);
  }
}
