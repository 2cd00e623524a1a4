import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { projectSettings } from '../../../test/support/project-settings.ts';
import { create } from '../../projects/project.decider.ts';
import { projectTarget } from '../../projects/project.state.ts';
import type { EventStore } from '../event-store/event-store.ts';
import { PostgresEventStore } from '../event-store/postgres/postgres-event-store.ts';
import { LocalWake } from '../postgres/wake.ts';
import { CommandRunner } from './command-runner.ts';
import { type CommandContext, systemContext } from './context.ts';
import { PreconditionFailed } from './precondition.ts';
import { ChangeSettings, ChangeSettingsHandler } from '../../projects/project.commands.ts';
import { projectTagIn } from '../../projects/project.view.ts';

let database: TestDatabase;
let store: EventStore;
beforeAll(async () => {
  database = await createTestDatabase();
  store = new PostgresEventStore(database.pool, new LocalWake());
});
afterAll(() => database.drop());

const context = (given: Partial<CommandContext> = {}): CommandContext => ({ ...systemContext({ kind: 'user', id: '1' }, 0), ...given });

/** An instance of the service: its states are cached by itself. */
function instance(projectId: string) {
  const runner = new CommandRunner(store);
  const handler = new ChangeSettingsHandler(runner);
  const tag = async (): Promise<string> => projectTagIn(projectId, await runner.read(projectTarget(projectId))) ?? '';
  return {
    tag,
    change: (title: string, tags: readonly string[], given: Partial<CommandContext> = {}): Promise<void> =>
      handler.execute(new ChangeSettings(context({ precondition: { tags }, ...given }), { projectId, settings: { title }, by: 1 })),
  };
}

async function project(projectId: string): Promise<void> {
  const wanted = {
    projectId,
    payerId: 1,
    settings: projectSettings,
    apiKey: { subject: `project-${projectId}`, sealed: '' },
    preset: false,
  };
  await new CommandRunner(store).run(projectTarget(projectId), context(), (state) => create(state, wanted));
}

describe('writers of two instances with the same tag', () => {
  it('succeed exactly once, round after round', async () => {
    await project('race');
    const [one, other] = [instance('race'), instance('race')];
    for (let round = 0; round < 20; round++) {
      const tag = await one.tag();
      await other.tag();
      const writes = [one, one, other, other].map(({ change }, index) => change(`${String(round)} ${String(index)}`, [tag]));
      const results = await Promise.allSettled(writes);
      const refusals = results.flatMap((result): unknown[] => (result.status === 'rejected' ? [result.reason] : []));
      expect(refusals).toHaveLength(3);
      for (const refusal of refusals) expect(refusal).toBeInstanceOf(PreconditionFailed);
      expect(refusals.map((refusal) => (refusal as PreconditionFailed).present)).toEqual(Array(3).fill(await one.tag()));
    }
  });

  it('are decided on the present stream, also where an instance has a state from before', async () => {
    await project('stale');
    const [one, stale] = [instance('stale'), instance('stale')];
    const before = await stale.tag();
    await one.change('newer', [before]);
    await expect(stale.change('newer', [before])).rejects.toThrow(PreconditionFailed);
    await stale.change('newest', [await one.tag()]);
    await expect(one.change('again', ['x'.repeat(22), before])).rejects.toThrow(PreconditionFailed);
    await one.change('again', ['x'.repeat(22), await stale.tag()]);
  });

  it('succeed again with a repeat of the same command', async () => {
    await project('repeat');
    const [one, other] = [instance('repeat'), instance('repeat')];
    const tags = [await one.tag()];
    const command = { commandId: 'keyed', repeat: true };
    await one.change('keyed', tags, command);
    await other.change('later', [await other.tag()]);
    await Promise.all([one, other].map(({ change }) => change('keyed', tags, command)));
    await expect(one.change('other', tags, { commandId: 'other', repeat: true })).rejects.toThrow(PreconditionFailed);
  });
});
