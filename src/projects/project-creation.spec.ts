import { expect, it } from '@jest/globals';
import type { CreateProject } from './project.commands.ts';
import { plansWith } from '../../test/support/open-accounts.ts';
import { SubjectErased } from '../platform/security/keyring/keyring.ts';
import { systemContext } from '../platform/commands/context.ts';
import { ProjectCreation } from './project-creation.ts';

const sent: CreateProject[] = [];
/** While the key of the project is destroyed. Casts: the parts of it that a creation uses. */
const creation = new ProjectCreation(
  ...([
    { execute: (command: CreateProject) => (sent.push(command), Promise.resolve({ projectId: 'p', areaIds: [] })) },
    { locations: ['eu'] },
    plansWith(null),
    { readUrl: () => ({ ok: true }) },
    { created: () => Promise.resolve({ id: 'p' }) },
    { created: () => Promise.reject(new SubjectErased('project-p')), keepForms: () => Promise.resolve() },
    { secret: () => Promise.resolve(Buffer.alloc(32)) },
  ] as unknown as ConstructorParameters<typeof ProjectCreation>),
);
const create = (repeat: boolean) => {
  const context = { ...systemContext({ kind: 'user', id: '1' }, 0, { repeat }), waitUntilVisible: () => Promise.resolve() };
  const [caller, given] = [
    { userId: 1, plan: 'basic' },
    { url: 'https://site.example', tests: [{ url: '/' }] },
  ];
  return creation.create(...([caller, context, given, 'body'] as unknown as Parameters<ProjectCreation['create']>));
};

it('lets the command answer the repeat of a creation whose project was deleted since, with the key of its secrets', async () => {
  expect(await create(true)).toEqual({ id: 'p' });
  expect(sent.map(({ fields }) => fields.beginning.checks)).toEqual([undefined]);
  await expect(create(false)).rejects.toThrow(SubjectErased);
});
