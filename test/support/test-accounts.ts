import { createHash, randomBytes } from 'node:crypto';
import type pg from 'pg';
import type { Schemas } from 'watchledger/client';
import { ApiClient } from './api-client.ts';
import { ADMIN, type TestService } from './service.ts';

export const PASSWORD = 'a long enough password';

export interface TestAccount {
  readonly userId: number;
  readonly email: string;
  readonly api: ApiClient;
}

/** Accounts and projects for tests, on a service that was started with REGISTRATION=open. */
export class TestAccounts {
  readonly anonymous: ApiClient;
  private readonly opened: TestAccount[] = [];

  /** Without a database no account can be registered. `headers`: of requests without a token. */
  constructor(
    private readonly service: Pick<TestService, 'url'> & { readonly database?: { readonly pool: pg.Pool } },
    headers: Readonly<Record<string, string>> = {},
  ) {
    this.anonymous = new ApiClient(service.url, null, headers);
  }

  async admin(): Promise<TestAccount> {
    return this.noted({ userId: 1, email: ADMIN.email, api: await this.anonymous.signIn(ADMIN.email, ADMIN.password) });
  }

  async register(name = 'someone'): Promise<TestAccount> {
    const { userId, email } = await this.open(name);
    await this.confirm(userId);
    return this.noted({ userId, email, api: await this.anonymous.signIn(email, PASSWORD) });
  }

  /** An account that has never proven its address. */
  async registerUnconfirmed(name = 'someone'): Promise<TestAccount> {
    const opened = await this.open(name);
    return { ...opened, api: await this.anonymous.signIn(opened.email, PASSWORD) };
  }

  /** For the end of a file on a shared service: nothing checks its sites any more, or mails about them. */
  async deleteProjects(): Promise<void> {
    await Promise.all(
      this.opened.map(async ({ api }) => {
        const { body } = await api.get('/projects?limit=1000');
        for (const { id } of (body.projects ?? []) as readonly { readonly id: string }[]) await api.delete(`/project/${id}`);
      }),
    );
  }

  private noted(account: TestAccount): TestAccount {
    this.opened.push(account);
    return account;
  }

  private async open(name: string): Promise<Omit<TestAccount, 'api'>> {
    const email = `${name}-${randomBytes(6).toString('hex')}@example.test`;
    await this.anonymous.client.post('/account/register', { body: { email, password: PASSWORD, name } });
    const { token } = await this.anonymous.signIn(email, PASSWORD);
    return { userId: userIdIn(token ?? ''), email };
  }

  /** Through a link as it would be mailed, whose token only the mail has: so this one is written beside it. Ends the tokens of the account. */
  async confirm(userId: number, password = PASSWORD): Promise<void> {
    const token = randomBytes(32).toString('base64url');
    await this.service.database?.pool.query(
      `INSERT INTO links (hash, user_id, purpose, expires_at) VALUES ($1, $2, 'confirm', now() + interval '1 hour')`,
      [createHash('sha256').update(token).digest('hex'), userId],
    );
    await this.anonymous.client.post('/account/confirm', { body: { token, password } });
  }

  /** Sets properties that only an administrator may set. */
  async administer(account: TestAccount, wanted: Schemas['Administration']): Promise<void> {
    const admin = await this.admin();
    await admin.api.client.put('/accounts/{userId}', { path: { userId: String(account.userId) }, body: wanted });
  }

  /** Returns the id. */
  async project(owner: TestAccount, url = 'https://example.com'): Promise<string> {
    return (await owner.api.client.post('/project/create', { body: { url } })).data.id;
  }

  /** Invites, and accepts in the name of the account; changes the role of a member. */
  async join(projectId: string, by: TestAccount, account: TestAccount, role: '4' | '5' | '6'): Promise<void> {
    const { data } = await by.api.client.post('/project/{id}/users', { path: { id: projectId }, body: { email: account.email, role } });
    if (data.pending) await this.accept(account, 'invitations', projectId);
  }

  /** Offers a project, and accepts it in the name of the account. */
  async give(projectId: string, by: TestAccount, account: TestAccount): Promise<void> {
    await by.api.client.post('/project/{id}/transfer', { path: { id: projectId }, body: { userId: account.userId } });
    await this.accept(account, 'transfers', projectId);
  }

  private async accept({ api: { client } }: TestAccount, kind: 'invitations' | 'transfers', projectId: string): Promise<void> {
    const pending = await client.list(`/account/${kind}`).all();
    const id = pending.find(({ project }) => project.id === projectId)?.id ?? '';
    await client.post(`/account/${kind}/{id}/accept`, { path: { id } });
  }
}

/** Of a login token, without a request that would count for a limit. */
const userIdIn = (token: string): number =>
  Number((JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as { readonly sub: string }).sub);
