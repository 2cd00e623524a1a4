import type { ServiceObjective } from './objective.settings.ts';
import { defineView, scopeId } from '../../platform/read-models/authoring/define-view.ts';

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
