import { expect, it } from '@jest/globals';
import { MemoryEventStore } from '../../../test/support/memory/memory-event-store.ts';
import { projectSettings } from '../../../test/support/project-settings.ts';
import { emptyForm, publicArea } from './area.settings.ts';
import { create } from '../project.decider.ts';
import { NoteFoundForm, NoteFoundFormHandler } from './area.commands.ts';
import { CommandRunner } from '../../platform/commands/command-runner.ts';
import { systemContext } from '../../platform/commands/context.ts';
import { wholeProjectTarget } from '../project-stream.ts';

it('records one first checksum of a sign-in form that two checkers find differently at once', async () => {
  const store = new MemoryEventStore();
  const context = () => systemContext({ kind: 'checker', id: 'eu' }, 0);
  const saved = { ...emptyForm, identifier: 'login', enabled: true };
  const apiKey = { subject: 'project-p', sealed: '' };
  await new CommandRunner(store).run(wholeProjectTarget('p'), context(), ([project]) => [
    ...create(project, { projectId: 'p', payerId: 1, settings: projectSettings, apiKey, preset: false }),
    { type: 'AreaCreated' as const, data: { areaId: 'a', settings: { ...publicArea, form: saved } } },
  ]);
  const before = store.events.length;
  const note = (found: string) =>
    new NoteFoundFormHandler(new CommandRunner(store)).execute(
      new NoteFoundForm(context(), { projectId: 'p', areaId: 'a', form: { saved, found } }),
    );
  await Promise.all([note('one'), note('two')]);
  const [first, second] = store.events.slice(before);
  expect([first?.type, second?.type]).toEqual(['AreaFormFirstFound', 'AreaFormFoundChanged']);
  expect(store.events).toHaveLength(before + 2);
});
