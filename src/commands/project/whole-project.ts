import { checklist } from '../../domain/check/checklist.ts';
import { project, projectStream } from '../../domain/project/project.ts';
import { pair } from '../../kernel/decider.ts';

/** The project and its checks: one stream, for decisions that need both. */
const wholeProject = pair(project, checklist);

export const wholeProjectTarget = (projectId: string) => ({
  stream: projectStream(projectId),
  scope: projectStream(projectId),
  decider: wholeProject,
});
