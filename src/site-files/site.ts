import type { Decider, StreamTarget } from '../kernel/decider.ts';
import { checklist, type Checklist, type ChecklistEvent } from '../projects/checks/checklist.decider.ts';
import { maintenance, type MaintenanceEvent, type MaintenanceWindows } from '../projects/maintenance/maintenance.decider.ts';
import { objective, type Objective, type ObjectiveEvent } from '../projects/objectives/objective.decider.ts';
import { type PreferenceEvent, preferences, type Preferences } from '../alerts/preferences/preference.decider.ts';
import { project, type Project, type ProjectEvent } from '../projects/project.state.ts';
import { projectStream } from '../kernel/stream-names.ts';

export type SiteEvent = ProjectEvent | ChecklistEvent | MaintenanceEvent | PreferenceEvent | ObjectiveEvent;

/** Everything of a project that a site file describes: the deciders of its stream side by side, for decisions that take one append. */
export type SiteState = readonly [
  project: Project,
  list: Checklist,
  windows: MaintenanceWindows,
  preferences: Preferences,
  objective: Objective,
];

export const site = {
  parts: [project, checklist, maintenance, preferences, objective],
  initial: [project.initial, checklist.initial, maintenance.initial, preferences.initial, objective.initial],
  // Deciders that share a stream ignore each other's events; the compiler cannot know it.
  evolve: ([ofProject, list, windows, settings, promised], event) => [
    project.evolve(ofProject, event as ProjectEvent),
    checklist.evolve(list, event as ChecklistEvent),
    maintenance.evolve(windows, event as MaintenanceEvent),
    preferences.evolve(settings, event as PreferenceEvent),
    objective.evolve(promised, event as ObjectiveEvent),
  ],
} as const satisfies Decider<SiteState, SiteEvent>;

export const siteTarget = (projectId: string): StreamTarget<SiteState, SiteEvent> => ({
  stream: projectStream(projectId),
  scope: projectStream(projectId),
  decider: site,
});
