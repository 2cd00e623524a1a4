import type pg from 'pg';
import { KeptPages } from '../../observations/pages/kept-pages.ts';
import type { RunStore } from '../../observations/runs/run-store.ts';
import type { Run } from '../../observations/runs/run.ts';
import type { JudgeJob } from '../judging/judge-job.ts';
import type { Judge } from '../judging/judge.ts';
import type { Rule } from '../rules/rule.ts';

export interface WhatIfAsked {
  readonly projectId: string;
  readonly checkId: string;
  readonly rules: readonly Rule[];
  readonly defaultErrors: boolean;
  /** Milliseconds; up to, not including, `to`. */
  readonly from: number;
  readonly to: number;
}

type Status = Run['outcome'];

/** Runs one after another that say the same, then and now. */
export interface Stretch {
  readonly from: string;
  readonly to: string;
  readonly runs: number;
  readonly old: Status;
  readonly new: Status;
  readonly failures: readonly string[];
}

export interface WhatIfFound {
  readonly runs: number;
  /** Those of which enough was kept to say what other rules would have said. */
  readonly judged: number;
  readonly changed: number;
  /** Of the judged runs, how many of a hundred passed. */
  readonly uptime: { readonly old: number | null; readonly new: number | null };
  readonly verdicts: readonly Stretch[];
}

interface Said {
  readonly status: Status;
  readonly failures: readonly string[];
}

/** What other rules would have said about what was kept. Reads, and changes nothing. */
export class WhatIf {
  private readonly pages: KeptPages;

  constructor(
    pool: pg.Pool,
    private readonly runs: RunStore,
    private readonly judge: Pick<Judge, 'judge'>,
  ) {
    this.pages = new KeptPages(pool);
  }

  async find(asked: WhatIfAsked): Promise<WhatIfFound> {
    const runs = await this.runs.between(asked.projectId, asked.from, asked.to, asked.checkId);
    const known = new Map<string, Said | null>();
    const judged: { readonly run: Run; readonly said: Said }[] = [];
    for (const run of runs) {
      const key = `${run.page ?? ''} ${String(run.httpStatus)}`;
      const said = known.get(key);
      // Without an answer there was nothing for a rule to look at: it stays what it was.
      const found =
        run.page === null ? { status: run.outcome, failures: run.failures } : said === undefined ? await this.said(asked, run) : said;
      if (run.page !== null) known.set(key, found);
      if (found !== null) judged.push({ run, said: found });
    }
    return {
      runs: runs.length,
      judged: judged.length,
      changed: judged.filter(({ run, said }) => run.outcome !== said.status).length,
      uptime: { old: passed(judged.map(({ run }) => run.outcome)), new: passed(judged.map(({ said }) => said.status)) },
      verdicts: stretchesOf(judged),
    };
  }

  /** Null: the page is not kept, or could not be judged just now. */
  private async said({ rules, defaultErrors, checkId }: WhatIfAsked, run: Run): Promise<Said | null> {
    const body = run.page === null ? null : await this.pages.read(run.page);
    if (body === null) return null;
    const answer: JudgeJob['answer'] = {
      ...{ url: '', httpVersion: '1.1', status: run.httpStatus, statusText: '', headers: [], redirectedBy: null },
      ...{ body, cut: false },
    };
    const found = await this.judge.judge({ answer, rules, type: 'simple', defaultErrors }, checkId);
    if (found.kind === 'own') return null;
    return { status: found.failures.length === 0 ? 'ok' : 'error', failures: found.failures.map(({ sentence }) => sentence) };
  }
}

const passed = (statuses: readonly Status[]): number | null =>
  statuses.length === 0 ? null : (statuses.filter((status) => status === 'ok').length / statuses.length) * 100;

function stretchesOf(judged: readonly { readonly run: Run; readonly said: Said }[]): readonly Stretch[] {
  const stretches: Stretch[] = [];
  for (const { run, said } of judged) {
    const at = new Date(run.at).toISOString();
    const last = stretches.at(-1);
    if (last?.old === run.outcome && last.new === said.status) stretches.splice(-1, 1, { ...last, to: at, runs: last.runs + 1 });
    else stretches.push({ from: at, to: at, runs: 1, old: run.outcome, new: said.status, failures: said.failures });
  }
  return stretches;
}
