import { settingsTag } from '../../platform/commands/settings-tag.ts';
import { type Thing, thingRow } from '../../platform/http/conditions/thing.ts';
import type { Objective } from './objective.decider.ts';
import type { ServiceObjective } from './objective.settings.ts';
import { objectiveView } from './objective.view.ts';

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
