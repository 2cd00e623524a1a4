import type { AnswerHead, KeptAnswers, KeptHead } from '../../observations/pages/kept-answers.ts';
import type { RunStore } from '../../observations/runs/run-store.ts';
import type { Run } from '../../observations/runs/run.ts';
import type { CheckType } from '../detectors/check-type.ts';
import type { Judge } from '../judging/judge.ts';
import type { Rule } from '../rules/rule.ts';
import { headerValue } from '../rules/stored-answer.ts';
import { TrialNotPossible } from './trial-not-possible.ts';

export interface PastAsked {
  readonly projectId: string;
  readonly checkId: string;
  readonly type: CheckType;
  readonly rules: readonly Rule[];
  readonly defaultErrors: boolean;
  /** Milliseconds; up to, not including, `to`. */
  readonly from: number;
  readonly to: number;
  /** Nothing is kept from before. */
  readonly keptFrom: number;
}

export interface Said {
  readonly status: Run['outcome'];
  readonly failures: readonly string[];
}

export interface PastRun {
  readonly run: Run;
  /** Null: of this run too little was kept. */
  readonly said: Said | null;
}

const HOUR = 3_600_000;
const LONGEST_STRETCH = 96 * HOUR;
/** All runs of a project are unpacked to find those of one check: of a large one, a few hours are enough to hold up everybody else. */
const QUICK_MS = 20;
const NO_HEAD: AnswerHead = { url: '', httpVersion: '1.1', statusText: '', headers: [], redirectedBy: null, cut: false };

/** What rules say of the answers that were kept. Reads, and changes nothing. */
export class JudgePast {
  constructor(
    private readonly answers: Pick<KeptAnswers, 'page' | 'heads'>,
    private readonly runs: Pick<RunStore, 'between'>,
    private readonly judge: Pick<Judge, 'judge'>,
  ) {}

  /** In order; as much at a time as the project is small. */
  async *runsOf(asked: PastAsked): AsyncGenerator<PastRun> {
    const { projectId, checkId, from, to } = asked;
    const known = new Map<string, Said | null>();
    const heads = new Heads();
    const first = Math.max(from, asked.keptFrom);
    // Heads are kept once an hour: that of a page which the first runs saw may stand before them.
    heads.add(await this.answers.heads(checkId, first - 2 * HOUR, first));
    for (let begin = first, stretch = HOUR; begin < to;) {
      const end = Math.min(to, begin + stretch);
      const began = performance.now();
      const runs = await this.runs.between(projectId, begin, end, checkId);
      stretch = performance.now() - began < QUICK_MS ? Math.min(LONGEST_STRETCH, stretch * 2) : Math.max(HOUR, stretch / 2);
      heads.add(await this.answers.heads(checkId, begin, end));
      for (const run of runs) yield { run, said: await this.said(asked, run, heads, known) };
      begin = end;
    }
  }

  private async said(asked: PastAsked, run: Run, heads: Heads, known: Map<string, Said | null>): Promise<Said | null> {
    // Without an answer there was nothing for a rule to look at: it stays what it was.
    if (run.page === null) return { status: run.outcome, failures: run.failures };
    const head = needsOwnHead(asked) ? heads.of(run) : (heads.of(run) ?? heads.like(run));
    if (head === undefined && (needsOwnHead(asked) || needsType(asked))) return null;
    // The same bytes may have been sent as something else.
    const sentAs = needsOwnHead(asked) ? String(run.at) : `${(head && headerValue(head, 'content-type')) ?? ''} ${String(head?.cut)}`;
    const key = `${run.page} ${String(run.httpStatus)} ${sentAs}`;
    const before = known.get(key);
    if (before !== undefined) return before;
    const found = await this.judged(asked, run, run.page, head ?? NO_HEAD);
    known.set(key, found);
    return found;
  }

  /** Null: the page is not kept. */
  private async judged(
    { rules, type, defaultErrors, projectId }: PastAsked,
    run: Run,
    page: string,
    head: AnswerHead,
  ): Promise<Said | null> {
    const body = await this.answers.page(page);
    if (body === null) return null;
    const found = await this.judge.judge({ answer: { ...head, status: run.httpStatus, body }, rules, type, defaultErrors }, projectId);
    if (found.kind === 'inconclusive') throw new TrialNotPossible(`The answers of that time could not be judged just now: ${found.reason}`);
    return { status: found.failures.length === 0 ? 'ok' : 'error', failures: found.failures.map(({ sentence }) => sentence) };
  }
}

/** Headers and redirects belong to one run, a page to all who saw it. */
const needsOwnHead = ({ rules }: PastAsked): boolean => rules.some(({ type }) => type === 'header' || type === 'location');
const needsType = ({ type }: PastAsked): boolean => type === 'favicon' || type === 'robots';

class Heads {
  private readonly byRun = new Map<number, KeptHead>();
  /** In order. */
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

  /** Of the same page, seen by the run before that was kept, else by the next: it says which charset and type those bytes have. */
  like({ at, page }: Run): AnswerHead | undefined {
    const ofPage = page === null ? undefined : this.byPage.get(page);
    return (ofPage?.findLast((kept) => kept.at <= at) ?? ofPage?.[0])?.head;
  }
}
