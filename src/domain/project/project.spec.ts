import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { decide } from '../../../test/support/decide.ts';
import { projectSettings } from '../../../test/support/project-settings.ts';
import { changeSettings, create, ProjectNotFound, remove } from './decisions.ts';
import { project, type Project, type ProjectEvent } from './project.ts';
import { locations, periods, uptimePeriods } from './settings.ts';

const wanted = {
  projectId: 'a'.repeat(24),
  payerId: 7,
  settings: projectSettings,
  apiKey: { subject: 'project-x', sealed: '' },
  preset: false,
};
const given = (...events: readonly ProjectEvent[]): Project => events.reduce(project.evolve, project.initial);
const created: ProjectEvent = { type: 'ProjectCreated', data: wanted };

const anySettings = fc.record({
  title: fc.string(),
  period: fc.constantFrom(...periods),
  uptimePeriod: fc.constantFrom(...uptimePeriods),
  location: fc.constantFrom(...locations),
  timeout: fc.integer({ min: 1, max: 60 }),
  checkDefaultErrors: fc.boolean(),
});

describe('a project', () => {
  it('begins with its payer as an admin member', () => {
    const state = given(...create(project.initial, wanted));
    expect(state).toMatchObject({ kind: 'open', payerId: 7, members: new Map([[7, '4']]) });
  });

  it('says for each changed setting what it was and what it is', () => {
    expect(changeSettings(given(created), { title: 'Other', timeout: 3, period: 'false' }, 7)).toEqual([
      { type: 'ProjectRenamed', data: { from: 'Example', to: 'Other' } },
      { type: 'PeriodChanged', data: { from: '5 minutes', to: 'false' } },
    ]);
  });

  it('decides nothing when a change is asked for again', () => {
    fc.assert(
      fc.property(anySettings, (change) => {
        const first = changeSettings(given(created), change, 7);
        expect(changeSettings(given(created, ...first), change, 7)).toEqual([]);
      }),
    );
  });

  it('is changed only by a member who may edit it', () => {
    const guest: ProjectEvent = { type: 'MemberAdded', data: { userId: 8, role: '6' } };
    for (const by of [8, 9])
      decide(project)
        .given(created, guest)
        .when((state) => changeSettings(state, { title: 'x' }, by))
        .thenRefused('MEMBERSHIP_REFUSED');
  });

  it('is deleted once, and cannot be changed or begun again afterwards', () => {
    const gone = given(created, ...remove(given(created), 7));
    expect(remove(gone, 7)).toEqual([]);
    expect(() => changeSettings(gone, { title: 'x' }, 7)).toThrow(ProjectNotFound);
    expect(() => create(gone, wanted)).toThrow('could not be created');
  });
});
