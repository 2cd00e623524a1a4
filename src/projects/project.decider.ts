import { changedSettings } from '../kernel/change.ts';
import { DomainError } from '../kernel/errors.ts';
import type { Sealed } from '../kernel/event.ts';
import { MembershipRefused } from './membership-refused.ts';
import { type OpenProject, type Project, type ProjectEvent, roleOf } from './project.state.ts';
import { roles } from '../accounts/rights/roles.ts';
import { settingEvents } from './project.events.ts';
import { completeSettings, type ProjectSettings } from './project.settings.ts';

export class ProjectNotFound extends DomainError {
  readonly code = 'PROJECT_NOT_FOUND';

  constructor() {
    super('The project was not found.');
  }
}

export class ProjectCreationFailed extends DomainError {
  readonly code = 'PROJECT_CREATION_FAILED';

  constructor(options?: ErrorOptions) {
    super('The project could not be created. Please try again later, or contact support.', options);
  }
}

export interface NewProject {
  readonly projectId: string;
  readonly payerId: number;
  readonly settings: ProjectSettings;
  readonly apiKey: Sealed;
  readonly preset: boolean;
  readonly aiSuggestions?: unknown;
}

export function create(state: Project, wanted: NewProject): readonly ProjectEvent[] {
  // The id is derived from the command, so whatever stands there already ended this very creation.
  if (state.kind !== 'none') throw new ProjectCreationFailed();
  return [{ type: 'ProjectCreated', data: wanted }];
}

/** One event for each setting that really changes. */
export const changesOf = (settings: ProjectSettings, wanted: Partial<ProjectSettings>): readonly ProjectEvent[] =>
  // The table pairs each setting with the event of its type, which the compiler cannot follow through a mapped array.
  changedSettings(settingEvents, completeSettings(settings), wanted).map(
    ({ type, from, to }) => ({ type, data: { from, to } }) as ProjectEvent,
  );

export function changeSettings(state: Project, wanted: Partial<ProjectSettings>, by: number): readonly ProjectEvent[] {
  const project = requireOpenProject(state);
  const role = roleOf(project, by);
  if (role === undefined || !roles[role].permissions.includes('edit'))
    throw new MembershipRefused('You may not change the settings of this project.');
  return changesOf(project.settings, wanted);
}

/** A repeated deletion is a success that changes nothing. */
export function remove(state: Project, by: number): readonly ProjectEvent[] {
  if (state.kind === 'deleted') return [];
  const { payerId, settings } = requireOpenProject(state);
  if (payerId !== by) throw new MembershipRefused('Only the project owner can delete the project.');
  const { title, url } = settings;
  return [{ type: 'ProjectDeleted', data: { title, url } }];
}

/** A repeated finding changes nothing. */
export const inspectHomepage = (state: Project, isWordPress: boolean): readonly ProjectEvent[] =>
  requireOpenProject(state).isWordPress === isWordPress ? [] : [{ type: 'HomepageInspected', data: { isWordPress } }];

export function abandonCreation(state: Project, claim: string): readonly ProjectEvent[] {
  return state.kind === 'none' ? [{ type: 'ProjectCreationAbandoned', data: { claim } }] : [];
}

export function requireOpenProject(state: Project): OpenProject {
  if (state.kind !== 'open') throw new ProjectNotFound();
  return state;
}
