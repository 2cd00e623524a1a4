import type { ServiceObjective } from './objective.settings.ts';
import { defineView, scopeId } from '../../platform/read-models/authoring/define-view.ts';
import { settingsTag } from '../../platform/commands/settings-tag.ts';
import { type Thing, thingRow } from '../../platform/http/conditions/thing.ts';
import type { Objective } from './objective.decider.ts';

export interface ObjectiveRow extends ServiceObjective {
  readonly setAt: string;
  /** Id of the event. */
  readonly event: string;
}

/** A row while the project has an objective. */
export const objectiveView = defineView<ObjectiveRow>()({
  name: 'objective',
  version: 1,
  scope: 'project',
  key: scopeId,
  on: {
    ObjectiveSet: (_, { id, recordedAt, data }) => ({ ...data, setAt: recordedAt, event: id }),
    ObjectiveRemoved: () => null,
    ProjectDeleted: () => null,
  },
});

/** A project without an objective has a tag, too. */
export const objectiveTag = (projectId: string, objective: ServiceObjective | null): string => {
  if (objective === null) return settingsTag('objective', projectId, null);
  const { target, offsetMinutes, methods, credits } = objective;
  return settingsTag('objective', projectId, { target, offsetMinutes, methods, credits });
};

export const objectiveTagIn = (projectId: string, { current }: Objective): string => objectiveTag(projectId, current);

export const objectiveThing: Thing = {
  name: 'objective',
  row: ({ projectId }) => thingRow(objectiveView, projectId, (row) => objectiveTag(projectId, row)),
};
