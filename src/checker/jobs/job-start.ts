import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { StartJob } from './job.commands.ts';
import { InvalidInput } from '../../kernel/errors.ts';
import { OBJECT_ID } from '../../kernel/ids.ts';
import { NotInLogYet } from '../../platform/log/log.ts';
import { type AreaRow, areaView } from '../../projects/areas/area.view.ts';
import { type CheckRow, checkView } from '../../projects/checks/check.view.ts';
import { jobView } from './job.view.ts';
import { projectView } from '../../projects/project.view.ts';
import { ViewsAt } from '../../platform/read-models/views/views.ts';
import type { RequestContext } from '../../platform/http/context/request-context.ts';
import { Forbidden, NotFound } from '../../platform/http/errors/refusals.ts';
import { readSwitch } from '../../platform/http/spans/span-input.ts';
import { projectStream } from '../../kernel/stream-names.ts';

/** The query of a start (docs/spec/interface.md#start-a-group). */
export interface StartQuery {
  readonly tests: readonly string[];
  readonly keepAlive: boolean;
  readonly stream: boolean;
}

const VISIBLE_WITHIN_MS = 5_000;
const POLL_MS = 15;

@Injectable()
export class JobStart {
  constructor(
    private readonly commands: CommandBus,
    private readonly views: ViewsAt,
  ) {}

  /** Starts nothing when an id is unknown (docs/spec/decisions.md#J2). Answers the job's id once it is readable. */
  async start(context: RequestContext, projectId: string, areaId: string | null, tests: readonly string[]): Promise<string> {
    const scope = projectStream(projectId);
    const views = this.views.now();
    const project = await views.get(projectView, projectId);
    if (project === null) throw new Forbidden();
    const areas = (await views.list(areaView, { scope })).map(({ row }) => row);
    if (areaId !== null && !areas.some(({ id }) => id === areaId)) throw new NotFound('The area was not found.');
    const checks = (await views.list(checkView, { scope })).map(({ row }) => row);
    const chosen = select(checks, areaId, tests);
    const jobId = await this.commands.execute(
      new StartJob(context, {
        request: {
          projectId,
          areaId,
          areaIds: areaIdsOf(areas, areaId, chosen),
          checkIds: chosen.filter(({ settings }) => settings.enabled).map(({ id }) => id),
          mode: tests.length > 0 ? 1 : 0,
        },
        payerId: project.payerId,
      }),
    );
    await context.waitUntilVisible();
    await this.waitUntilReadable(jobId);
    return jobId;
  }

  /** A start that joined an open job wrote nothing to wait for, while the job may not have reached the read models. */
  private async waitUntilReadable(jobId: string): Promise<void> {
    const until = performance.now() + VISIBLE_WITHIN_MS;
    while ((await this.views.now().get(jobView, jobId)) === null) {
      if (performance.now() > until) throw new NotInLogYet('The job was started, but is not readable yet.');
      await sleep(POLL_MS);
    }
  }
}

function select(checks: readonly CheckRow[], areaId: string | null, tests: readonly string[]): readonly CheckRow[] {
  const candidates = [...checks].sort((a, b) => a.order - b.order).filter((check) => areaId === null || check.areaId === areaId);
  if (tests.length === 0) return candidates;
  const known = new Set(candidates.map(({ id }) => id));
  if (tests.some((id) => !known.has(id))) throw new NotFound('A test was not found.');
  const wanted = new Set(tests);
  return candidates.filter(({ id }) => wanted.has(id));
}

function areaIdsOf(areas: readonly AreaRow[], areaId: string | null, chosen: readonly CheckRow[]): readonly string[] {
  if (areaId !== null) return [areaId];
  const wanted = new Set(chosen.map((check) => check.areaId));
  return areas.map(({ id }) => id).filter((id) => wanted.has(id));
}

/** Spellings of a list: the repeated name, or PHP's `tests[]` and `tests[0]`. */
const TESTS = /^tests(\[\d{0,4}\])?$/;

export function readStartQuery(query: Readonly<Record<string, unknown>>): StartQuery {
  const listed = Object.keys(query).filter((name) => TESTS.test(name));
  const unknown = Object.keys(query).find((name) => !listed.includes(name) && !['keep-alive', 'continue'].includes(name));
  if (unknown !== undefined) throw new InvalidInput(`${unknown.slice(0, 60)}: is not a known parameter`);
  const tests = listed.flatMap((name) => query[name]);
  if (!tests.every((id) => typeof id === 'string')) throw new InvalidInput('tests: must be ids of tests');
  if (!tests.every((id) => OBJECT_ID.test(id))) throw new NotFound('A test was not found.');
  return { tests, keepAlive: readSwitch(query, 'keep-alive'), stream: readSwitch(query, 'continue') };
}
