import type { Checklist, ChecklistEvent } from '../check/checklist.ts';
import { clear } from '../check/decisions.ts';
import { remove } from './decisions.ts';
import { dismissMember } from './members.ts';
import type { Project, ProjectEvent } from './project.ts';

type EndingEvent = ProjectEvent | ChecklistEvent;

/** Its groups and checks go with it. */
export const end = (project: Project, list: Checklist, by: number): readonly EndingEvent[] => [...clear(list), ...remove(project, by)];

/** An erased account loses its memberships, and its own projects are deleted. */
export const withoutAccount = (project: Project, list: Checklist, userId: number): readonly EndingEvent[] =>
  project.kind === 'open' && project.payerId === userId ? end(project, list, userId) : dismissMember(project, userId);
