import { checklist } from './checks/checklist.decider.ts';
import type { CommandRunner } from '../platform/commands/command-runner.ts';
import type { CommandContext } from '../platform/commands/context.ts';
import { requireOpenProject } from './project.decider.ts';
import { project, type Project, type ProjectEvent } from './project.state.ts';
import { type Decide, type Decider, pair, type StreamTarget } from '../kernel/decider.ts';
import type { EventBody } from '../kernel/event.ts';
import { projectStream } from '../kernel/stream-names.ts';

/** The project with another decider of its stream, for decisions that need both states, such as refusing changes of a deleted project. */
function withProject<State, Event extends EventBody>(
  decider: Decider<State, Event>,
): (projectId: string) => StreamTarget<readonly [Project, State], ProjectEvent | Event> {
  const both = pair(project, decider);
  return (projectId) => ({ stream: projectStream(projectId), scope: projectStream(projectId), decider: both });
}

/** Runs decisions about one thing of a project, which are refused unless the project is open. */
export function inOpenProject<State, Event extends EventBody>(decider: Decider<State, Event>) {
  const target = withProject(decider);
  return (runner: CommandRunner, projectId: string, context: CommandContext, decide: Decide<State, Event>) =>
    runner.run(target(projectId), context, ([project, state]) => {
      requireOpenProject(project);
      return decide(state);
    });
}

/** The project and its checks. */
export const wholeProjectTarget = withProject(checklist);
