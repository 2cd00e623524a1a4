import { randomBytes } from 'node:crypto';
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

  constructor(service: Pick<TestService, 'url'>) {
    this.anonymous = new ApiClient(service.url);
  }

  async admin(): Promise<TestAccount> {
    return { userId: 1, email: ADMIN.email, api: await this.anonymous.signIn(ADMIN.email, ADMIN.password) };
  }

  async register(name = 'someone'): Promise<TestAccount> {
    const email = `${name}-${randomBytes(6).toString('hex')}@example.test`;
    const answer = await this.anonymous.post('/account/register', { email, password: PASSWORD, name });
    if (answer.status !== 200) throw new Error(`registering was answered ${String(answer.status)} ${answer.text}`);
    return { userId: Number(answer.body.id), email, api: await this.anonymous.signIn(email, PASSWORD) };
  }

  /** Sets properties that only an administrator may set. */
  async administer(account: TestAccount, wanted: { readonly plan?: string; readonly systemRole?: string | null }): Promise<void> {
    const admin = await this.admin();
    const answer = await admin.api.put(`/accounts/${String(account.userId)}`, wanted);
    if (answer.status !== 200) throw new Error(`administering was answered ${String(answer.status)} ${answer.text}`);
  }

  /** Returns the id. */
  async project(owner: TestAccount, url = 'https://example.com'): Promise<string> {
    const answer = await owner.api.post('/project/create', { url });
    if (answer.status !== 200) throw new Error(`creating a project was answered ${String(answer.status)} ${answer.text}`);
    return answer.body.id as string;
  }

  async join(projectId: string, by: TestAccount, account: TestAccount, role: '4' | '5' | '6'): Promise<void> {
    const answer = await by.api.post(`/project/${projectId}/users`, { email: account.email, role });
    if (answer.status !== 200) throw new Error(`adding a user was answered ${String(answer.status)} ${answer.text}`);
  }
}
