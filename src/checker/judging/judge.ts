import { availableParallelism } from 'node:os';
import { xpathSentence } from '../rules/sentences.ts';
import type { Failure, JudgeJob, WorkerReport, WorkerTask } from './judge-job.ts';
import { heavyPlaces, inOrder, isLight, judgePage } from './judge-page.ts';
import { WorkerPool, type Ending } from './worker-pool.ts';

export type Judgement =
  | { readonly kind: 'judged'; readonly failures: readonly Failure[] }
  /** Trouble of our own: says nothing about the page. */
  | { readonly kind: 'inconclusive'; readonly reason: string };

export type SyntaxLook =
  /** What is wrong with each expression, or null. */
  { readonly kind: 'looked'; readonly problems: readonly (string | null)[] } | { readonly kind: 'inconclusive'; readonly reason: string };

/** What nearly every page needs by far; who needs more is asked again where nobody waits behind it. */
const QUICK_MS = 80;
const PATIENT_MS = 250;
/** To decode a page and make a tree of it, beside what its rules may take. */
const READING_MS_A_MEGABYTE = 500;
const REMEMBERED_MS = 600_000;
const MOST_REMEMBERED = 10_000;
const LIMITS = { maxOldGenerationSizeMb: 96, maxYoungGenerationSizeMb: 16, stackSizeMb: 4 };

export interface JudgeOptions {
  readonly entry?: URL;
  readonly threads?: number;
}

/** Says what is wrong with an answer. Small pages at once, large ones and XPaths on threads that can be stopped. */
export class Judge {
  private readonly quick: WorkerPool;
  private readonly patient: WorkerPool;
  /** Who needed patience lately goes there at once. */
  private readonly slow = new Map<string, number>();

  constructor({
    entry = new URL('./judge-worker.js', import.meta.url),
    threads = Math.max(2, availableParallelism() - 1),
  }: JudgeOptions = {}) {
    this.quick = new WorkerPool({ entry, size: threads, limits: LIMITS });
    this.patient = new WorkerPool({ entry, size: 1, limits: LIMITS });
  }

  /** `key` names who asks, such as a project: what takes long waits behind its own kind only. */
  async judge(job: JudgeJob, key: string): Promise<Judgement> {
    if (isLight(job)) return { kind: 'judged', failures: judgeLight(job) };
    const quick = await this.ask(this.quick, job, QUICK_MS, () => !this.isSlow(key));
    if (quick.ending === 'done') return { kind: 'judged', failures: inOrder(quick.failures) };
    if (isOwn(quick.ending)) return trouble(quick.ending);
    this.remember(key);
    const { ending, failures, at } = await this.ask(this.patient, job, PATIENT_MS);
    if (ending === 'done') return { kind: 'judged', failures: inOrder(failures) };
    if (ending === 'late' || ending === 'memory') return { kind: 'judged', failures: inOrder([...failures, ...stopped(job, ending, at)]) };
    return trouble(ending);
  }

  async xpathProblems(expressions: readonly string[]): Promise<SyntaxLook> {
    let problems: readonly (string | null)[] = [];
    const task: WorkerTask = { kind: 'xpath-syntax', expressions };
    const ending = await this.quick.run(task, PATIENT_MS, (report) => {
      const told = report as WorkerReport;
      if (told.kind === 'syntax') problems = told.problems;
      return undefined;
    });
    return ending === 'done' ? { kind: 'looked', problems } : trouble(ending);
  }

  get queued(): number {
    return this.quick.queued + this.patient.queued;
  }

  get refused(): number {
    return this.quick.refused + this.patient.refused;
  }

  async close(): Promise<void> {
    await Promise.all([this.quick.close(), this.patient.close()]);
  }

  private async ask(
    pool: WorkerPool,
    job: JudgeJob,
    boundMs: number,
    isWanted?: () => boolean,
  ): Promise<{ ending: Ending; failures: Failure[]; at: number | null }> {
    const failures: Failure[] = [];
    let at: number | null = null;
    const task: WorkerTask = { kind: 'judge', job };
    const readingMs = boundMs + (job.answer.body.length / (1024 * 1024)) * READING_MS_A_MEGABYTE;
    const tell = (report: unknown): number | undefined => {
      const told = report as WorkerReport;
      if (told.kind === 'fails') failures.push(told.failure);
      if (told.kind === 'begins') at = told.rule;
      return told.kind === 'prepared' ? boundMs : undefined;
    };
    const ending = await pool.run(task, readingMs, tell, { ...(isWanted && { isWanted }), bytes: job.answer.body.length });
    return { ending, failures, at };
  }

  private isSlow(key: string): boolean {
    return (this.slow.get(key) ?? 0) > performance.now();
  }

  private remember(key: string): void {
    if (this.slow.size >= MOST_REMEMBERED) this.slow.clear();
    this.slow.set(key, performance.now() + REMEMBERED_MS);
  }
}

function judgeLight(job: JudgeJob): Failure[] {
  const failures: Failure[] = [];
  judgePage(job, (event) => {
    if (event.kind === 'fails') failures.push(event.failure);
  });
  return inOrder(failures);
}

const REASONS = {
  crowded: 'too many pages waited to be judged',
  starved: 'the machine had no time for the thread that judges pages',
  broken: 'the thread that judges pages broke',
} as const;
const isOwn = (ending: Ending): ending is keyof typeof REASONS => ending in REASONS;
const trouble = (ending: Ending): { readonly kind: 'inconclusive'; readonly reason: string } => ({
  kind: 'inconclusive',
  reason: REASONS[isOwn(ending) ? ending : 'broken'],
});

/** The rule that was at work is to blame; those behind it were not looked at. */
function stopped({ rules }: JudgeJob, ending: Ending, at: number | null): Failure[] {
  const why =
    ending === 'memory' ? 'it took too much memory and was stopped' : `it took longer than ${String(PATIENT_MS)} ms and was stopped`;
  if (at === null) return [{ rule: null, sentence: `the page could not be looked at: ${why}` }];
  const heavy = heavyPlaces(rules);
  const blamed = rules[at];
  const sentence = blamed?.op === 'xpath' ? xpathSentence(blamed.val, `but ${why}`) : `the pattern could not be tried: ${why}`;
  const behind = heavy
    .slice(heavy.indexOf(at) + 1)
    .map((rule) => ({ rule, sentence: 'this rule was not looked at, because another one took up the time' }));
  return [{ rule: at, sentence }, ...behind];
}
