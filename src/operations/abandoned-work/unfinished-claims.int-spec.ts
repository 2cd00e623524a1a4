import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { PostgresClaims } from '../../platform/postgres/postgres-claims.ts';
import { LocalWake } from '../../platform/postgres/wake.ts';
import { systemContext } from '../../platform/commands/context.ts';
import { CommandRunner } from '../../platform/commands/command-runner.ts';
import { PROJECT_SLOT } from '../../projects/project-slot.ts';
import { create, ProjectCreationFailed } from '../../projects/project.decider.ts';
import { projectTarget } from '../../projects/project.state.ts';
import type { ProjectSettings } from '../../projects/project.settings.ts';
import { PostgresEventStore } from '../../platform/event-store/postgres/postgres-event-store.ts';
import type { UnfinishedAccountWork } from './unfinished-account-work.ts';
import { UnfinishedClaims } from './unfinished-claims.ts';

let database: TestDatabase;
let claims: PostgresClaims;
let runner: CommandRunner;
let unfinished: UnfinishedClaims;
beforeAll(async () => {
  database = await createTestDatabase();
  claims = new PostgresClaims(database.pool);
  runner = new CommandRunner(new PostgresEventStore(database.pool, new LocalWake()));
  const accounts = { fence: () => Promise.resolve(null) } as unknown as UnfinishedAccountWork;
  unfinished = new UnfinishedClaims(database.pool, claims, runner, accounts);
});
afterAll(() => database.drop());

const context = () => systemContext({ kind: 'cli', id: 'test' }, Date.now());
const begin = (projectId: string, payerId: number) =>
  runner.run(projectTarget(projectId), context(), (project) =>
    create(project, { projectId, payerId, settings: { title: '' } as ProjectSettings, apiKey: { subject: '', sealed: '' }, preset: false }),
  );
const hand = (projectId: string, from: number, to: number) =>
  runner.run(projectTarget(projectId), context(), () => [{ type: 'ProjectTransferred' as const, data: { from: from, to: to } }]);
/** As a crash leaves it: claimed, out of time, never kept. */
const unkept = (payer: number, projectId: string) => claims.claimSlot(PROJECT_SLOT, String(payer), 3, projectId, -1);
const kept = async (payer: number, projectId: string): Promise<void> => {
  const key = await claims.claimSlot(PROJECT_SLOT, String(payer), null, projectId);
  await claims.keep(PROJECT_SLOT, key ?? '', projectId);
};
const placesOf = async (projectId: string): Promise<readonly string[]> => {
  const { rows } = await database.pool.query<{ owner: string }>('SELECT owner FROM claim WHERE holder = $1 ORDER BY owner', [projectId]);
  return rows.map(({ owner }) => owner);
};
const run = () => unfinished.sweep();

describe('a project slot', () => {
  it('is released when the creation never happened, and the late creation fails', async () => {
    await unkept(1, 'a');
    await run();
    expect(await placesOf('a')).toEqual([]);
    await expect(begin('a', 1)).rejects.toThrow(ProjectCreationFailed);
  });

  it('is kept when the creation happened', async () => {
    await unkept(1, 'b');
    await begin('b', 1);
    await run();
    expect(await placesOf('b')).toEqual(['1']);
    expect(await claims.expired(10)).toEqual([]);
  });

  it('is released for the receiver when the transfer never happened', async () => {
    await begin('c', 1);
    await kept(1, 'c');
    await unkept(2, 'c');
    await run();
    expect(await placesOf('c')).toEqual(['1']);
  });

  it('moves to the receiver when the transfer happened, and the former owner’s slot is released', async () => {
    await begin('d', 1);
    await kept(1, 'd');
    await unkept(2, 'd');
    await hand('d', 1, 2);
    await run();
    await unfinished.releaseFormer();
    expect(await placesOf('d')).toEqual(['2']);
  });
});
