import type { Checklist, ChecklistEvent } from './checks/checklist.decider.ts';
import { clear } from './checks/check.decider.ts';
import { remove } from './project.decider.ts';
import { dismissMember } from './members/member.decider.ts';
import type { Project, ProjectEvent } from './project.state.ts';

type EndingEvent = ProjectEvent | ChecklistEvent;

/** Its groups and checks go with it. */
export const end = (project: Project, list: Checklist, by: number): readonly EndingEvent[] => [...clear(list), ...remove(project, by)];

/** An erased account loses its memberships, and its own projects are deleted. */
export const withoutAccount = (project: Project, list: Checklist, userId: number): readonly EndingEvent[] =>
  project.kind === 'open' && project.payerId === userId ? end(project, list, userId) : dismissMember(project, userId);
