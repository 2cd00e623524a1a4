import { DomainError } from '../../kernel/errors.ts';
import type { AnswerHead, KeptAnswers, KeptHead } from '../../platform/observations/pages/kept-answers.ts';
import type { RunStore } from '../../platform/observations/runs/run-store.ts';
import type { Run } from '../../platform/observations/runs/run.ts';
import type { CheckType } from '../../projects/checks/check.settings.ts';
import type { Judge } from '../judging/judge.ts';
import type { RuleCondition } from '../rules/rule.ts';
import type { AnswerPart } from '../rules/rule-row.ts';
import { rowOf } from '../rules/rule-table.ts';
import type { Phases } from '../probe/outcome.ts';
import { headerValue, redirectsOf } from '../rules/stored-answer.ts';
import { HOUR_MS } from '../../kernel/time.ts';

/** An inconclusive trial: the cause is on our side, so no result is given rather than a partial one. */
export class TrialNotPossible extends DomainError {
  readonly code = 'TRIAL_NOT_POSSIBLE';
}

/** Past runs of a check, and the rules to judge them by. */
export interface PastQuery {
  readonly projectId: string;
  /** The account of the project's owner. */
  readonly account: number;
  readonly checkId: string;
  readonly type: CheckType;
  readonly rules: readonly RuleCondition[];
  readonly defaultErrors: boolean;
  /** Milliseconds; up to, not including, `to`. */
  readonly from: number;
  readonly to: number;
  /** Begin of the retention period. */
  readonly keptFrom: number;
}

export interface RejudgedRun {
  readonly status: Run['outcome'];
  readonly failures: readonly string[];
}

export interface JudgedPastRun {
  readonly run: Run;
  /** Null if too little of the run is stored. */
  readonly rejudged: RejudgedRun | null;
}

const MAX_BATCH = 96 * HOUR_MS;
/** Reading unpacks all runs of a project; the batch adapts, so that a large project does not block the event loop. */
const QUICK_MS = 20;
const NO_HEAD: AnswerHead = { url: '', httpVersion: '1.1', statusText: '', headers: [], redirectedBy: null, cut: false };

/** Judges the stored answers of past runs by other rules. Stores nothing. */
export class PastJudge {
  constructor(
    private readonly answers: Pick<KeptAnswers, 'page' | 'heads'>,
    private readonly runs: Pick<RunStore, 'between'>,
    private readonly judge: Pick<Judge, 'judge'>,
  ) {}

  /** Judges the runs in the order of time. */
  async *runsOf(query: PastQuery): AsyncGenerator<JudgedPastRun> {
    const { projectId, checkId, from, to } = query;
    const known = new Map<string, RejudgedRun | null>();
    const heads = new Heads();
    const first = Math.max(from, query.keptFrom);
    // A head is stored once an hour: that of the first runs may be older than they are.
    heads.add(await this.answers.heads(query, first - 2 * HOUR_MS, first));
    for (let begin = first, batch = HOUR_MS; begin < to;) {
      const end = Math.min(to, begin + batch);
      const began = performance.now();
      const runs = await this.runs.between(projectId, begin, end, checkId);
      batch = performance.now() - began < QUICK_MS ? Math.min(MAX_BATCH, batch * 2) : Math.max(HOUR_MS, batch / 2);
      heads.add(await this.answers.heads(query, begin, end));
      for (const run of runs) yield { run, rejudged: await this.rejudge(query, run, heads, known) };
      begin = end;
    }
  }

  private async rejudge(query: PastQuery, run: Run, heads: Heads, known: Map<string, RejudgedRun | null>): Promise<RejudgedRun | null> {
    // A run without an answer does not depend on rules.
    if (run.page === null) return { status: run.outcome, failures: run.failures };
    const parts = partsRead(query);
    const needsOwnHead = OF_HEAD.some((part) => parts.has(part));
    const head = needsOwnHead ? heads.of(run) : (heads.of(run) ?? heads.nearest(run));
    if (head === undefined && (needsOwnHead || needsType(query))) return null;
    if (!isKnown(parts, head) || query.rules.some(readsCookieValue)) return null;
    // The same bytes may have been sent with another content type, and in another time.
    const sentAs =
      needsOwnHead || parts.has('timing') ? String(run.at) : `${(head && headerValue(head, 'content-type')) ?? ''} ${String(head?.cut)}`;
    const key = `${run.page} ${String(run.httpStatus)} ${String(run.endExpected)} ${sentAs}`;
    const before = known.get(key);
    if (before !== undefined) return before;
    const found = await this.judgeStored(query, run, run.page, head ?? NO_HEAD);
    known.set(key, found);
    return found;
  }

  /** Null if the page is not stored. */
  private async judgeStored(
    { rules, type, defaultErrors, projectId, account }: PastQuery,
    run: Run,
    page: string,
    head: AnswerHead,
  ): Promise<RejudgedRun | null> {
    const body = await this.answers.page(projectId, page);
    if (body === null) return null;
    const answer = { ...head, status: run.httpStatus, body, at: run.at, timing: timingOf(run) };
    // What earlier runs showed is taken as it was recorded with the run.
    const job = { answer, rules, type, defaultErrors, ...(run.endExpected && { endExpected: true }) };
    const found = await this.judge.judge(job, projectId, account);
    if (found.kind === 'inconclusive') throw new TrialNotPossible(`The answers of that time could not be judged just now: ${found.reason}`);
    return { status: found.failures.length === 0 ? 'ok' : 'error', failures: found.failures.map(({ sentence }) => sentence) };
  }
}

/** Headers, redirects and certificates belong to one run; a page is shared by all runs that fetched the same bytes. */
const OF_HEAD = ['head', 'redirects', 'certificate'] as const satisfies readonly AnswerPart[];
const partsRead = ({ rules }: PastQuery): ReadonlySet<AnswerPart> => new Set(rules.flatMap(({ type }) => rowOf(type).reads ?? []));

/** False for a head that was stored without a part which the rules read. */
const isKnown = (parts: ReadonlySet<AnswerPart>, head: AnswerHead | undefined): boolean =>
  (!parts.has('certificate') || head?.certificate !== undefined) &&
  (!parts.has('redirects') || (head !== undefined && redirectsOf(head) !== undefined));

/** Cookies are kept without their values. */
const readsCookieValue = ({ type, val }: RuleCondition): boolean => type === 'header' && /set-cookie:[^;]*=\s*[^;\s]/i.test(val);

const timingOf = ({ waiting: wait, dns, connect, tls, request, download, total }: Run): Phases => ({
  dns,
  connect,
  tls,
  request,
  wait,
  download,
  total,
});
const needsType = ({ type }: PastQuery): boolean => type === 'favicon' || type === 'robots';

class Heads {
  private readonly byRun = new Map<number, KeptHead>();
  /** The heads of each page, sorted by time. */
  private readonly byPage = new Map<string, KeptHead[]>();

  add(heads: readonly KeptHead[]): void {
    for (const kept of heads) {
      this.byRun.set(kept.at, kept);
      const ofPage = this.byPage.get(kept.page);
      if (ofPage === undefined) this.byPage.set(kept.page, [kept]);
      else ofPage.push(kept);
    }
  }

  of({ at, page }: Run): AnswerHead | undefined {
    const kept = this.byRun.get(at);
    return kept?.page === page ? kept.head : undefined;
  }

  /** The head of the same page from the last stored run before, else the next: it has the charset and type of those bytes. */
  nearest({ at, page }: Run): AnswerHead | undefined {
    const ofPage = page === null ? undefined : this.byPage.get(page);
    return (ofPage?.findLast((kept) => kept.at <= at) ?? ofPage?.[0])?.head;
  }
}
