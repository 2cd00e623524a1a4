import { checklist } from './checks/checklist.decider.ts';
import { project, type Project, type ProjectEvent } from './project.state.ts';
import { type Decider, pair, type StreamTarget } from '../kernel/decider.ts';
import type { EventBody } from '../kernel/event.ts';
import { projectStream } from '../kernel/stream-names.ts';

/** The project with another decider of its stream, for decisions that need both states, such as refusing changes of a deleted project. */
export function withProject<State, Event extends EventBody>(
  decider: Decider<State, Event>,
): (projectId: string) => StreamTarget<readonly [Project, State], ProjectEvent | Event> {
  const both = pair(project, decider);
  return (projectId) => ({ stream: projectStream(projectId), scope: projectStream(projectId), decider: both });
}

/** The project and its checks. */
export const wholeProjectTarget = withProject(checklist);
