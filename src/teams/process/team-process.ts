import { BackOff } from '../../kernel/back-off.ts';
import { CallFailed } from '../call-channel.ts';
import type { Manifest } from '../manifest.ts';
import { type ChildOptions, RunningChild, TeamProcessEnded } from './running-child.ts';

export interface TeamProcessOptions extends ChildOptions {
  /** The pause before its first restart; it doubles with each further one. */
  readonly firstRetryMs?: number;
  /** It ended by itself or was killed; it is started again. */
  readonly onEnded: (reason: string) => void;
  /** It runs, also for the first time. */
  readonly onRunning: () => void;
}

/** A package that cannot be loaded refuses the start of the service. */
export class TeamPackageRefused extends Error {
  override readonly name = 'TeamPackageRefused';
}

const FIRST_RETRY_MS = 1_000;
const MAX_RETRY_MS = 60_000;
/** A process that ran for longer is started again without a long pause. */
const HEALTHY_MS = 60_000;

/** The process of one package, started again with exponential backoff whenever it ends (a supervisor with one child). */
export class TeamProcess {
  private readonly closing = new AbortController();
  private readonly backOff: BackOff;
  private current: RunningChild | null;
  /** Not yet loaded. */
  private next: RunningChild | null = null;
  private waiting: ((child: RunningChild) => void)[] = [];
  private readonly supervising: Promise<void>;

  private constructor(
    readonly manifest: Manifest,
    private readonly options: TeamProcessOptions,
    first: RunningChild,
  ) {
    this.current = first;
    this.backOff = new BackOff(options.firstRetryMs ?? FIRST_RETRY_MS, MAX_RETRY_MS);
    this.supervising = this.supervise(first);
  }

  /** Rejects with `TeamPackageRefused` when the package cannot be loaded. */
  static async start(options: TeamProcessOptions): Promise<TeamProcess> {
    const child = RunningChild.start(options);
    try {
      return new TeamProcess(await child.load(), options, child);
    } catch (cause) {
      const isOurs = cause instanceof CallFailed && cause.problem.name === 'PackageInvalid';
      const reason = cause instanceof Error ? cause.message : String(cause);
      await child.stop();
      throw new TeamPackageRefused(isOurs ? reason : `PROJECTIONS names ${options.from}, which cannot be loaded: ${reason}`, { cause });
    }
  }

  get from(): string {
    return this.options.from;
  }

  /** The process as soon as it runs; rejects when the signal aborts before. */
  running(signal: AbortSignal): Promise<RunningChild> {
    const { current } = this;
    if (current !== null) return Promise.resolve(current);
    return new Promise((resolve, reject) => {
      const abort = (): void => {
        this.waiting = this.waiting.filter((one) => one !== found);
        reject(new TeamProcessEnded(`the process of ${this.from} does not run`));
      };
      const found = (child: RunningChild): void => {
        signal.removeEventListener('abort', abort);
        resolve(child);
      };
      this.waiting.push(found);
      if (signal.aborted) abort();
      else signal.addEventListener('abort', abort, { once: true });
    });
  }

  /** The process while it runs, null while it does not. */
  get child(): RunningChild | null {
    return this.current;
  }

  async close(): Promise<void> {
    this.closing.abort();
    await Promise.all([this.current?.stop(), this.next?.stop()]);
    await this.supervising;
  }

  private async supervise(first: RunningChild): Promise<void> {
    const { onRunning, onEnded } = this.options;
    const { signal } = this.closing;
    let child: RunningChild | null = first;
    while (!signal.aborted) {
      if (child !== null) {
        const startedAt = performance.now();
        this.announce(child);
        onRunning();
        const reason = await child.ended;
        this.current = null;
        if (signal.aborted) return;
        if (performance.now() - startedAt > HEALTHY_MS) this.backOff.reset();
        onEnded(reason);
      }
      await this.backOff.wait(signal);
      child = signal.aborted ? null : await this.startAgain();
    }
    await child?.stop();
  }

  private announce(child: RunningChild): void {
    this.current = child;
    const { waiting } = this;
    this.waiting = [];
    for (const found of waiting) found(child);
  }

  private async startAgain(): Promise<RunningChild | null> {
    const child = (this.next = RunningChild.start(this.options));
    try {
      const manifest = await child.load();
      if (JSON.stringify(manifest) === JSON.stringify(this.manifest)) return child;
      this.options.onEnded('the package was changed while the service runs: restart the service to load it');
    } catch (error) {
      if (!this.closing.signal.aborted)
        this.options.onEnded(`it cannot be loaded any more: ${error instanceof Error ? error.message : String(error)}`);
    }
    await child.stop();
    return null;
  }
}
