import { Controller, Get, Query } from '@nestjs/common';
import { FailureAlertsReader } from '../alerts/failure-alerts.reader.ts';
import { inUtc } from '../platform/http/presentation/answers.ts';
import { InvalidInput } from '../kernel/errors.ts';
import { requestNow } from '../platform/http/as-of/as-of.ts';
import { CurrentPrincipal } from '../platform/http/context/decorators.ts';
import { CurrentProject, type ProjectAccess } from '../projects/request-project.ts';
import type { Principal } from '../platform/http/context/principal.ts';
import { ProjectList } from '../projects/project-list.ts';
import { Needs } from '../accounts/rights/needs.ts';
import { callerRight, feedRight, projectRight } from '../accounts/rights/right.ts';
import { textsOf } from '../history/history-query.ts';
import { readFromTo } from '../platform/http/spans/instant-input.ts';
import { FiguresReading } from './figures-reading.ts';
import {
  type FiguresListAnswer,
  type MarksAnswer,
  MAX_FIGURES,
  type OverviewAnswer,
  type ProjectOverviewAnswer,
  type ProjectProblemAnswer,
} from './overview.api.ts';
import { MarksReading } from './marks-reading.ts';
import { OverviewReading } from './overview-reading.ts';
import { ProblemEvents } from './problem-events.ts';
import type { FoundProblem } from './problems.ts';

const MAX_PROBLEMS = 50;

/** docs/spec/beyond.md#B29. */
@Controller()
export class OverviewController {
  constructor(
    private readonly reading: OverviewReading,
    private readonly figures: FiguresReading,
    private readonly list: ProjectList,
    private readonly marks: MarksReading,
    private readonly events: ProblemEvents,
    private readonly alerts: FailureAlertsReader,
  ) {}

  @Get('projects/overview')
  @Needs(callerRight)
  async overview(@CurrentPrincipal() caller: Principal): Promise<OverviewAnswer> {
    const { problems, ...found } = await this.reading.ofAll(caller);
    const shown = problems.slice(0, MAX_PROBLEMS);
    return {
      ...found,
      isComplete: found.isComplete && shown.length === problems.length,
      attention: new Set(problems.map(({ project }) => project.id)).size,
      problems: await Promise.all(
        shown.map(async ({ project, ...problem }) => ({
          project: { id: project.id, title: project.settings.title },
          ...(await this.presented(project.id, problem)),
        })),
      ),
    };
  }

  @Get('projects/figures')
  @Needs(callerRight)
  async figuresOf(@CurrentPrincipal() caller: Principal, @Query('ids') given: unknown): Promise<FiguresListAnswer> {
    const ids = typeof given === 'string' ? given.split(',').filter((id) => id !== '') : [];
    if (ids.length === 0 || ids.length > MAX_FIGURES)
      throw new InvalidInput(`ids: must be 1 to ${String(MAX_FIGURES)} ids of projects, separated by commas`);
    return { figures: await this.figures.of(await this.list.readable(caller, ids), requestNow()) };
  }

  @Get('projects/marks')
  @Needs(feedRight)
  marksOf(@CurrentPrincipal() caller: Principal, @Query() query: Readonly<Record<string, unknown>>): Promise<MarksAnswer> {
    const { from, to } = readFromTo(query);
    if (from === null || to === null) throw new InvalidInput(`${from === null ? 'from' : 'to'}: is required`);
    const [project = null] = textsOf(query, 'project');
    return this.marks.between(caller, from.utc, to.utc, project);
  }

  @Get('project/:id/overview')
  @Needs(projectRight('read'))
  async ofProject(@CurrentProject() { projectId, row }: ProjectAccess): Promise<ProjectOverviewAnswer> {
    const problems = await this.reading.ofProject(row);
    return {
      problems: await Promise.all(
        problems.map(async (problem) => {
          const [presented, alerts] = await Promise.all([this.presented(projectId, problem), this.alertsAbout(projectId, problem)]);
          return { ...presented, alerts };
        }),
      ),
    };
  }

  private async alertsAbout(projectId: string, problem: FoundProblem): Promise<ProjectProblemAnswer['alerts']> {
    const beginning = problem.severity === 'failing' ? await this.events.beginning(projectId, problem) : null;
    if (beginning === null) return null;
    const { deliveredAt, dueAt, ...counts } = await this.alerts.of(beginning.event, beginning.status, requestNow());
    return {
      ...counts,
      deliveredAt: deliveredAt === null ? null : inUtc(deliveredAt.getTime()),
      due: dueAt === null ? null : dueAt.toISOString(),
      fromFirst: beginning.isFirst,
    };
  }

  private async presented(projectId: string, problem: FoundProblem): Promise<Omit<ProjectProblemAnswer, 'alerts'>> {
    const event = await this.events.of(projectId, problem);
    const { kind, severity, since, sentence, check } = problem;
    return { kind, severity, since, sentence: sentence === '' ? (event?.reason ?? '') : sentence, test: check, event: event?.id ?? null };
  }
}
