import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { decide } from '../../test/support/decide.ts';
import { projectSettings } from '../../test/support/project-settings.ts';
import { changeSettings, create, remove } from './project.decider.ts';
import { project, type ProjectEvent } from './project.state.ts';
import { LOCATIONS } from '../kernel/locations.ts';
import { periods, uptimePeriods } from './project.settings.ts';

const wanted = {
  projectId: 'a'.repeat(24),
  payerId: 7,
  settings: projectSettings,
  apiKey: { subject: 'project-x', sealed: '' },
  preset: false,
};
const { given } = decide(project);
const created: ProjectEvent = { type: 'ProjectCreated', data: wanted };

const anySettings = fc.record({
  title: fc.string(),
  period: fc.constantFrom(...periods),
  uptimePeriod: fc.constantFrom(...uptimePeriods),
  location: fc.constantFrom(...LOCATIONS),
  timeout: fc.integer({ min: 1, max: 60 }),
  checkDefaultErrors: fc.boolean(),
});

describe('a project', () => {
  it('begins with its payer as an administrator', () => {
    expect(given(created).state).toMatchObject({ kind: 'open', payerId: 7, members: new Map([[7, '4']]) });
    given()
      .when((state) => create(state, wanted))
      .then(created);
  });

  it('records the old and the new value of each changed setting', () => {
    given(created)
      .when((state) => changeSettings(state, { title: 'Other', timeout: 3, period: 'false' }, 7))
      .then(
        { type: 'ProjectRenamed', data: { from: 'Example', to: 'Other' } },
        { type: 'PeriodChanged', data: { from: '5 minutes', to: 'false' } },
      );
  });

  it('decides nothing when the same settings are sent again', () => {
    fc.assert(
      fc.property(anySettings, (change) => {
        const first = changeSettings(given(created).state, change, 7);
        given(created, ...first)
          .when((state) => changeSettings(state, change, 7))
          .then();
      }),
    );
  });

  it('is changed only by a member who may edit it', () => {
    const guest: ProjectEvent = { type: 'MemberAdded', data: { userId: 8, role: '6' } };
    for (const by of [8, 9])
      given(created, guest)
        .when((state) => changeSettings(state, { title: 'x' }, by))
        .thenRefused('MEMBERSHIP_REFUSED');
  });

  it('is deleted once, and cannot be changed or created again afterwards', () => {
    const deleted = given(created, ...remove(given(created).state, 7));
    deleted.when((state) => remove(state, 7)).then();
    deleted.when((state) => changeSettings(state, { title: 'x' }, 7)).thenRefused('PROJECT_NOT_FOUND');
    deleted.when((state) => create(state, wanted)).thenRefused('PROJECT_CREATION_FAILED');
  });
});
