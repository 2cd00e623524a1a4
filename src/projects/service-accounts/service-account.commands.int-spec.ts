import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { MemoryEventStore } from '../../../test/support/memory/memory-event-store.ts';
import { MemoryKeyring } from '../../../test/support/memory/memory-keyring.ts';
import { create } from '../project.decider.ts';
import { projectTarget } from '../project.state.ts';
import { ServiceAccountNotFound } from './service-account.decider.ts';
import { serviceNumber } from '../../accounts/rights/roles.ts';
import type { ProjectSettings } from '../project.settings.ts';
import { AccountChanges } from '../../accounts/tokens/account-changes.ts';
import { TokenStore } from '../../accounts/tokens/token-store.ts';
import { CommandRunner } from '../../platform/commands/command-runner.ts';
import { systemContext } from '../../platform/commands/context.ts';
import {
  CreateServiceAccount,
  CreateServiceAccountHandler,
  DeleteServiceAccount,
  DeleteServiceAccountHandler,
  IssueServiceToken,
  IssueServiceTokenHandler,
} from './service-account.commands.ts';

const [owner, projectId] = [1, 'a'.repeat(24)] as const;
const manager = { owner: projectId, by: owner };
const wanted = { name: 'build server', expiresAt: new Date(Date.now() + 3_600_000), scopes: null, addresses: ['192.0.2.0/24'] };

let database: TestDatabase;
let runner: CommandRunner;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

const context = (commandId?: string) => systemContext({ kind: 'user', id: '1' }, Date.now(), commandId === undefined ? {} : { commandId });
const secrets = { secret: () => Promise.resolve(Buffer.alloc(32)) };
const rows = async (): Promise<readonly object[]> =>
  (await database.pool.query<object>('SELECT user_id, kind, project_id FROM tokens')).rows;

beforeEach(async () => {
  runner = new CommandRunner(new MemoryEventStore());
  const settings = { title: '' } as ProjectSettings;
  const apiKey = { subject: `project-${projectId}`, sealed: '' };
  await runner.run(projectTarget(projectId), context(), (project) =>
    create(project, { projectId, payerId: owner, settings, apiKey, preset: false }),
  );
});

const createAccount = (): Promise<string> =>
  new CreateServiceAccountHandler(runner, secrets).execute(
    new CreateServiceAccount(context(), { manager, wanted: { name: 'deployments', role: '5' } }),
  );
const remove = (serviceAccountId: string, tokens = new TokenStore(database.pool)): Promise<void> =>
  new DeleteServiceAccountHandler(runner, tokens, new AccountChanges()).execute(
    new DeleteServiceAccount(context(), { manager, serviceAccountId }),
  );
const issue = (serviceAccountId: string, tokens = new TokenStore(database.pool), commandId?: string) =>
  new IssueServiceTokenHandler(runner, new MemoryKeyring(), secrets, tokens).execute(
    new IssueServiceToken(context(commandId), { manager, serviceAccountId, wanted }),
  );

it('answers a repeated command with the same token, and its deletion ends it', async () => {
  const serviceAccountId = await createAccount();
  const first = await issue(serviceAccountId, undefined, 'once');
  expect(await issue(serviceAccountId, undefined, 'once')).toEqual(first);
  expect(await rows()).toEqual([{ user_id: serviceNumber(serviceAccountId), kind: 'service', project_id: projectId }]);
  await remove(serviceAccountId);
  expect(await rows()).toEqual([]);
  await expect(issue(serviceAccountId, undefined, 'once')).rejects.toThrow(ServiceAccountNotFound);
});

it('leaves no row of a token whose account is deleted while it is issued', async () => {
  for (const moment of ['before', 'after'] as const) {
    const serviceAccountId = await createAccount();
    class Interrupted extends TokenStore {
      override async add(...[token, hash]: Parameters<TokenStore['add']>): Promise<boolean> {
        if (moment === 'before') await remove(serviceAccountId);
        const added = await super.add(token, hash);
        if (moment === 'after') await remove(serviceAccountId);
        return added;
      }
    }
    await expect(issue(serviceAccountId, new Interrupted(database.pool))).rejects.toThrow(ServiceAccountNotFound);
    expect(await rows()).toEqual([]);
  }
});

it('keeps tokens of people and of service accounts apart in the table', async () => {
  const add = (columns: string, values: string) =>
    database.pool.query(`INSERT INTO tokens (token_id, expires_at, ${columns}) VALUES ('x', now(), ${values})`);
  await expect(add('user_id, kind', "1, 'service'")).rejects.toThrow('tokens_kind_check');
  // A service token without a project belongs to the installation.
  await add('user_id, kind', "-1, 'service'");
  await expect(add('user_id, kind, project_id', "-1, 'personal', 'p'")).rejects.toThrow('tokens_kind_check');
  await expect(add('user_id, kind, project_id', "1, 'service', 'p'")).rejects.toThrow('tokens_kind_check');
  await expect(add('user_id, kind', "-1, 'login'")).rejects.toThrow('tokens_kind_check');
});
