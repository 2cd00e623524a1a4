import { Inject, Injectable } from '@nestjs/common';
import type { CheckRow } from '../../projections/read-models/check/check.view.ts';
import { VIEWS_AT, type ViewsAt } from '../../projections/views/views.ts';
import type { ProjectRow } from '../../projections/read-models/project/project.view.ts';
import { reportedView } from '../../projections/read-models/reported/reported.view.ts';
import type { VerdictRow } from '../../projections/read-models/verdict/verdict.view.ts';
import { CheckFactsReader } from '../check/check-facts.ts';
import type { CheckFacts } from '../check/check.presenter.ts';
import { CheckReading } from '../check/check-reading.ts';
import { unixSeconds } from '../presentation/answers.ts';
import type { SimpleStatusAnswer, StatusSummaryAnswer } from './status.description.ts';

/** docs/spec/interface.md#status-summary-full and #simple-status. */
@Injectable()
export class StatusReading {
  constructor(
    @Inject(VIEWS_AT) private readonly views: ViewsAt,
    @Inject(CheckReading) private readonly checks: CheckReading,
    @Inject(CheckFactsReader) private readonly facts: CheckFactsReader,
  ) {}

  async summary(project: ProjectRow, now: number): Promise<StatusSummaryAnswer> {
    const views = this.views.now();
    const rows = await this.checks.rows(project.id);
    const enabled = rows.filter(({ settings }) => settings.enabled);
    const [facts, reported] = await Promise.all([this.facts.read(views, project, rows), views.get(reportedView, project.id)]);
    const verdicts = enabled.flatMap(({ id }) => facts.get(id)?.verdict ?? []);
    const status = worst(verdicts);
    const messages = messagesOf(status, verdicts, enabled, facts);
    return {
      project: {
        id: project.id,
        lastRun: Math.max(0, ...[...facts.values()].map(({ lastRun }) => lastRun)),
        lastChange: Math.max(0, ...verdicts.map(({ since }) => unixSeconds(since))),
        reported: reported?.status ?? '',
        status: status ?? 'unknown',
        msg: messages.message,
        shortMessage: messages.short,
        shortMsg: messages.short,
      },
      total: enabled.length,
      failed: verdicts.filter((verdict) => verdict.status !== 'ok').length,
      now: unixSeconds(now),
      tests: await this.checks.presentAll(rows, facts),
    };
  }

  async simple(project: ProjectRow): Promise<SimpleStatusAnswer> {
    const rows = (await this.checks.rows(project.id)).filter(({ settings }) => settings.enabled);
    const facts = await this.facts.read(this.views.now(), project, rows);
    const tests = rows.map((row) => {
      const found = facts.get(row.id);
      return { name: row.settings.name, url: found?.requestUrl ?? row.settings.url, status: simpleStatus(found) };
    });
    return { tests, total: tests.length, failed: rows.filter(({ id }) => isFailing(facts.get(id))).length };
  }
}

type Status = VerdictRow['status'];

const SEVERITY: Readonly<Record<Status, number>> = { ok: 0, timeout: 1, error: 2 };

/** The worst status of the enabled tests: error, timeout, ok (docs/spec/decisions.md#P7); null before the first run. */
const worst = (verdicts: readonly VerdictRow[]): Status | null =>
  verdicts.reduce<Status | null>((found, { status }) => (found === null || SEVERITY[status] > SEVERITY[found] ? status : found), null);

const isFailing = (facts: CheckFacts | undefined): boolean => facts?.status === 'error' || facts?.status === 'timeout';

/** docs/spec/decisions.md#J10. */
function simpleStatus(facts: CheckFacts | undefined): string {
  if (facts === undefined || facts.status === 'unknown') return 'Not checked yet';
  return facts.status === 'ok' ? 'OK' : (facts.failures[0] ?? 'Failed');
}

/** The message of the worst test, else of the homepage (docs/spec/decisions.md#J9). */
function messagesOf(
  status: Status | null,
  verdicts: readonly VerdictRow[],
  enabled: readonly CheckRow[],
  facts: ReadonlyMap<string, CheckFacts>,
): { readonly message: string; readonly short: string } {
  if (status === null) return { message: '', short: '' };
  const failing = status === 'ok' ? undefined : verdicts.find((verdict) => verdict.status === status);
  if (failing !== undefined) {
    const name = enabled.find(({ id }) => id === failing.checkId)?.settings.name ?? '';
    const sentence = failing.failing?.failures[0] ?? 'failed';
    const short = failing.evidence.httpStatus === null ? status : String(failing.evidence.httpStatus);
    return { message: name === '' ? sentence : `${name}: ${sentence}`, short };
  }
  const homepage = enabled.find(({ settings }) => settings.type === 'homepage') ?? enabled[0];
  const httpStatus = homepage === undefined ? '' : (facts.get(homepage.id)?.response.httpStatus ?? '');
  return httpStatus === '' ? { message: 'OK', short: 'OK' } : { message: `Server returned HTTP status ${httpStatus}`, short: httpStatus };
}
