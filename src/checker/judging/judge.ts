import { availableParallelism } from 'node:os';
import type { LaneFigures } from '../../kernel/concurrency-limit.ts';
import { growingCache } from '../../kernel/cached.ts';
import { shortened } from '../../kernel/text.ts';
import { inconclusive, type Inconclusive } from '../probe/outcome.ts';
import type { ByteRange } from '../locating/located-page.ts';
import type { FetchedHomepage, HomepageFindings } from '../page/homepage.ts';
import type { Expression } from '../../projects/checks/rule-syntax.ts';
import { xpathSentence } from '../rules/sentences.ts';
import type { ComparedPage, JudgeJob, RuleFailure, WorkerReport, WorkerTask } from './judge-job.ts';
import { byRule, expensiveRules, isCheap, judgePage } from './judge-page.ts';
import { type TaskOptions, WorkerPool } from './worker-pool.ts';
import type { PoolResult } from './worker-slot.ts';

interface Judged {
  readonly kind: 'judged';
  readonly failures: readonly RuleFailure[];
  /** The extracted values by name; missing if nothing was to be extracted. */
  readonly values?: ReadonlyMap<string, string>;
}

export type Judgement = Judged | Inconclusive;

/** What is wrong with each expression, or null for a valid one. */
export type ExpressionSyntax = { readonly kind: 'read'; readonly problems: readonly (string | null)[] } | Inconclusive;

export type RuleRanges = { readonly kind: 'located'; readonly ranges: readonly (ByteRange | null)[] } | Inconclusive;
export type PageComparison = { readonly kind: 'compared'; readonly diff: string } | Inconclusive;

export type HomepageInspection = ({ readonly kind: 'inspected' } & HomepageFindings) | Inconclusive;

/** Enough for nearly every page; a job that needs longer is repeated in the slow pool. */
const QUICK_MS = 80;
const SLOW_MS = 250;
/** The time for decoding and parsing a page, in addition to that of its rules. */
const PARSE_MS_PER_MEGABYTE = 500;
const MEGABYTE = 1024 * 1024;
const SLOW_KEY_TTL_MS = 600_000;
const MAX_SLOW_KEYS = 10_000;
const LIMITS = { maxOldGenerationSizeMb: 96, maxYoungGenerationSizeMb: 16, stackSizeMb: 4 };

export interface JudgeOptions {
  readonly entry?: URL;
  readonly threads?: number;
  /** The time for a task that a person waits for, in addition to that for its bytes. */
  readonly askMs?: number;
}

/** Judges answers by rules: cheap jobs on the main thread, large pages, XPaths and all but simple patterns on worker threads that can be terminated. */
export class Judge {
  private readonly quick: WorkerPool;
  private readonly slow: WorkerPool;
  private readonly askMs: number;
  /** Keys whose last job was too slow for the quick pool. */
  private readonly slowKeys = growingCache<string, true>(MAX_SLOW_KEYS, { ttl: SLOW_KEY_TTL_MS });

  constructor({
    entry = new URL('./judge-worker.js', import.meta.url),
    threads = Math.max(2, availableParallelism() - 1),
    askMs = SLOW_MS,
  }: JudgeOptions = {}) {
    this.askMs = askMs;
    this.quick = new WorkerPool({ entry, size: threads, limits: LIMITS });
    this.slow = new WorkerPool({ entry, size: 1, limits: LIMITS });
  }

  /** `key` groups jobs, such as by project: slow jobs of a key wait in the slow pool only. Accounts take turns in both. */
  async judge(job: JudgeJob, key: string, account?: number): Promise<Judgement> {
    if (isCheap(job)) return judgeHere(job);
    const quick = await this.judgeIn(this.quick, job, QUICK_MS, { source: { account }, isWanted: () => !this.slowKeys.has(key) });
    if (quick.result === 'done') return judged(job, quick);
    if (isOnOurSide(quick.result)) return inconclusive(REASONS[quick.result]);
    this.slowKeys.set(key, true);
    const slow = await this.judgeIn(this.slow, job, SLOW_MS, { source: { account } });
    const { result, failures, rule } = slow;
    if (result === 'done') return judged(job, slow);
    if (result === 'late' || result === 'memory')
      return judged(job, { ...slow, failures: [...failures, ...stoppedFailures(job, result, rule)] });
    return inconclusive(REASONS[isOnOurSide(result) ? result : 'broken']);
  }

  /** All of them together have the time of one slow job; the one at work when it ends is to blame. */
  async syntaxProblems(expressions: readonly Expression[]): Promise<ExpressionSyntax> {
    const problems: (string | null)[] = [];
    const task: WorkerTask = { kind: 'syntax', expressions };
    const result = await this.quick.run(task, SLOW_MS, (message) => {
      // The worker of this entry sends nothing else.
      const report = message as WorkerReport;
      if (report.kind === 'expressionRead') problems.push(report.problem);
      return undefined;
    });
    if (result === 'late' || result === 'memory') return { kind: 'read', problems: [...problems, whyStopped(result)] };
    return result === 'done' ? { kind: 'read', problems } : inconclusive(REASONS[isOnOurSide(result) ? result : 'broken']);
  }

  /** The unified diff of two pages. */
  async compare(before: ComparedPage, after: ComparedPage, account?: number): Promise<PageComparison> {
    const bytes = before.body.length + after.body.length;
    const found = await this.ask({ kind: 'compare', before, after }, bytes, account);
    return found.kind === 'compared' ? found : wasStopped('the comparison of the pages', found);
  }

  /** Finds the place on the page at which each rule of a job matched. */
  async locate(job: JudgeJob, account?: number): Promise<RuleRanges> {
    const found = await this.ask({ kind: 'locate', job }, job.answer.body.length, account);
    return found.kind === 'located' ? found : wasStopped('the search for the rules in the page', found);
  }

  /** Inspects a homepage for its CMS and its links: in one that takes too long there is nothing to be found. */
  async inspect(homepage: FetchedHomepage, account?: number): Promise<HomepageInspection> {
    const found = await this.ask({ kind: 'inspect', homepage }, homepage.body.length, account);
    if (found.kind === 'inspected') return found;
    const { result } = found.kind === 'stopped' ? found : { result: 'broken' as const };
    return isOnOurSide(result) ? inconclusive(REASONS[result]) : { kind: 'inspected', isWordPress: false, links: [] };
  }

  /** A task with one report, in the lane of slow ones: no check waits for it. */
  private async ask(task: WorkerTask, bytes: number, account: number | undefined): Promise<WorkerReport | Stopped> {
    const reports: WorkerReport[] = [];
    const timeoutMs = this.askMs + (bytes / MEGABYTE) * PARSE_MS_PER_MEGABYTE;
    const onReport = (message: unknown): undefined => {
      // The worker of this entry sends nothing else.
      reports.push(message as WorkerReport);
    };
    const result = await this.slow.run(task, timeoutMs, onReport, { source: { account }, bytes });
    const [report] = reports;
    return result === 'done' && report !== undefined ? report : { kind: 'stopped', result };
  }

  get queues(): Readonly<Record<'judging' | 'slow judging', LaneFigures>> {
    return { judging: this.quick.queue, 'slow judging': this.slow.queue };
  }

  async close(): Promise<void> {
    await Promise.all([this.quick.close(), this.slow.close()]);
  }

  /** `rule`: the one that was being judged at the end. */
  private async judgeIn(
    pool: WorkerPool,
    job: JudgeJob,
    limitMs: number,
    options: TaskOptions,
  ): Promise<Found & { result: PoolResult; rule: number | null }> {
    const failures: RuleFailure[] = [];
    const values = new Map<string, string>();
    let rule: number | null = null;
    const task: WorkerTask = { kind: 'judge', job };
    const parseMs = limitMs + (job.answer.body.length / MEGABYTE) * PARSE_MS_PER_MEGABYTE;
    const onReport = (message: unknown): number | undefined => {
      // The worker of this entry sends nothing else.
      const report = message as WorkerReport;
      if (report.kind === 'ruleFailed') failures.push(report.failure);
      if (report.kind === 'ruleStarted') rule = report.rule;
      if (report.kind === 'extracted') values.set(report.name, report.value);
      return report.kind === 'prepared' ? limitMs : undefined;
    };
    const result = await pool.run(task, parseMs, onReport, { ...options, bytes: job.answer.body.length });
    return { result, failures, rule, values };
  }
}

interface Found {
  readonly failures: readonly RuleFailure[];
  readonly values: ReadonlyMap<string, string>;
}

const judged = ({ extract = [] }: JudgeJob, { failures, values }: Found): Judged => ({
  kind: 'judged',
  failures: byRule(failures),
  ...(extract.length > 0 && { values }),
});

function judgeHere(job: JudgeJob): Judged {
  const values = new Map<string, string>();
  const failures: RuleFailure[] = [];
  judgePage(job, (event) => {
    if (event.kind === 'ruleFailed') failures.push(event.failure);
    if (event.kind === 'extracted') values.set(event.name, event.value);
  });
  return judged(job, { failures, values });
}

const REASONS = {
  crowded: 'too many pages waited to be judged',
  starved: 'this machine had no CPU time for the thread that judges pages',
  broken: 'the thread that judges pages crashed',
} as const;
const isOnOurSide = (result: PoolResult): result is keyof typeof REASONS => result in REASONS;

interface Stopped {
  readonly kind: 'stopped';
  readonly result: PoolResult;
}

const wasStopped = (what: string, found: WorkerReport | Stopped): Inconclusive =>
  inconclusive(found.kind === 'stopped' && isOnOurSide(found.result) ? REASONS[found.result] : `${what} took too much time or memory`);

const whyStopped = (result: PoolResult): string =>
  result === 'memory' ? 'it took too much memory and was stopped' : `it took longer than ${String(SLOW_MS)} ms and was stopped`;

/** The rule at work is to blame; the expensive rules after it were not judged. */
function stoppedFailures({ rules, extract = [] }: JudgeJob, result: PoolResult, rule: number | null): RuleFailure[] {
  const why = whyStopped(result);
  if (rule === null) return [{ rule: null, sentence: `the page could not be judged: ${why}` }];
  if (rule >= rules.length) return [{ rule, sentence: `\`${extract[rule - rules.length]?.name ?? ''}\` could not be extracted: ${why}` }];
  const expensive = expensiveRules(rules);
  const blamed = rules[rule];
  const isPattern = blamed?.op === 'regex' || blamed?.op === '!regex';
  const blame = isPattern ? 'the pattern could not be tried' : `the rule ${blamed?.type ?? ''} could not be evaluated`;
  const sentence = blamed?.op === 'xpath' ? xpathSentence(blamed.val, `but ${why}`) : `${shortened(blame, 100)}: ${why}`;
  const skipped = expensive
    .slice(expensive.indexOf(rule) + 1)
    .map((index) => ({ rule: index, sentence: 'this rule was not evaluated, because another one used up the time' }));
  return [{ rule, sentence }, ...skipped];
}
