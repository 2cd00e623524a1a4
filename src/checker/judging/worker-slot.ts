import { Worker, type ResourceLimits } from 'node:worker_threads';
import { cpuTimeMs } from './thread-time.ts';

/**
 * `late` and `memory`: the limits of the task were exceeded; `broken`: the thread crashed; `crowded`: the queue was full, or the wait too long;
 * `starved`: the machine gave the thread no CPU time; `unwanted`: no longer wanted when a thread was free.
 */
export type PoolResult = 'done' | 'late' | 'memory' | 'broken' | 'crowded' | 'starved' | 'unwanted';

/** The first message of a thread: where its CPU time can be read. */
export interface WorkerReady {
  readonly ready: string | null;
}

export interface PoolTask {
  readonly message: unknown;
  readonly timeoutMs: number;
  /** Called for each message of the thread; a returned number of milliseconds replaces the time limit from now on. */
  readonly onReport: (report: unknown) => number | undefined;
  readonly end: (result: PoolResult) => void;
}

export interface WorkerOptions {
  readonly entry: URL;
  readonly limits?: ResourceLimits;
  /** A thread that was idle for this long is terminated, to free its memory. */
  readonly idleMs?: number;
  /** Time limits are CPU time; on a busy machine the wall clock may take this many times as long. */
  readonly busyFactor?: number;
}

/** Time limit for loading the code of a thread. */
const LOAD_MS = 30_000;
const BUSY_FACTOR = 40;
const POLL_MS = 5;

/** One thread with one task at a time; a task that exceeds its limits has its thread terminated and replaced. */
export class WorkerSlot {
  private worker: Worker | undefined;
  private ready = false;
  private task: PoolTask | undefined;
  private timer: NodeJS.Timeout | undefined;
  private statPath: string | null = null;
  private idle: NodeJS.Timeout | undefined;
  private closed = false;

  constructor(private readonly options: WorkerOptions) {}

  get isFree(): boolean {
    return this.task === undefined;
  }

  assign(task: PoolTask): void {
    clearTimeout(this.idle);
    this.task = task;
    if (this.worker === undefined) this.start();
    else if (this.ready) this.send();
  }

  async close(): Promise<void> {
    this.closed = true;
    clearTimeout(this.timer);
    const { worker } = this;
    this.worker = undefined;
    this.end('broken');
    clearTimeout(this.idle);
    await worker?.terminate();
  }

  private start(): void {
    const { entry, limits = {} } = this.options;
    const worker = new Worker(entry, { resourceLimits: limits, stdout: true, stderr: true });
    worker.stdout.resume();
    worker.stderr.resume();
    worker.unref();
    this.worker = worker;
    this.ready = false;
    this.timer = setTimeout(() => this.replace(worker, 'broken'), LOAD_MS);
    worker.on('message', (message: unknown) => {
      if (worker !== this.worker) return;
      if (isReady(message)) {
        clearTimeout(this.timer);
        this.statPath = message.ready;
        this.ready = true;
        this.send();
      } else if (message === 'done') this.end('done');
      else if (message === 'spent') this.replace(worker, 'done');
      else this.onMessage(worker, message);
    });
    worker.on('error', (error: unknown) => this.replace(worker, isOutOfMemory(error) ? 'memory' : 'broken'));
    worker.on('exit', () => this.replace(worker, 'broken'));
  }

  private onMessage(worker: Worker, message: unknown): void {
    const timeoutMs = this.task?.onReport(message);
    if (timeoutMs !== undefined) this.limitTime(worker, timeoutMs);
  }

  /** Limits CPU time where it is known: a page must not be blamed for other load on the machine. */
  private limitTime(worker: Worker, limitMs: number): void {
    const { statPath } = this;
    const { busyFactor = BUSY_FACTOR } = this.options;
    const began = performance.now();
    const before = cpuTimeMs(statPath);
    const wait = (milliseconds: number): void => {
      clearTimeout(this.timer);
      this.timer = setTimeout(check, milliseconds);
    };
    const check = (): void => {
      const now = before === null ? null : cpuTimeMs(statPath);
      const left = before === null || now === null ? 0 : limitMs - (now - before);
      if (left <= 0) this.replace(worker, 'late');
      else if (performance.now() - began > limitMs * busyFactor) this.replace(worker, 'starved');
      else wait(Math.max(left, POLL_MS));
    };
    wait(limitMs);
  }

  private send(): void {
    const { task, worker } = this;
    if (task === undefined || worker === undefined) return;
    this.limitTime(worker, task.timeoutMs);
    worker.postMessage(task.message);
  }

  private replace(worker: Worker, result: PoolResult): void {
    if (worker !== this.worker) return;
    const wasReady = this.ready;
    clearTimeout(this.timer);
    this.worker = undefined;
    this.ready = false;
    void worker.terminate();
    // Start the next one before it is needed; but not after a failed load, which would repeat forever.
    if (wasReady && !this.closed) this.start();
    this.end(result);
  }

  private end(result: PoolResult): void {
    if (this.ready) clearTimeout(this.timer);
    const { task } = this;
    this.task = undefined;
    this.startIdleTimer();
    task?.end(result);
  }

  /** Cancelled by `assign`. */
  private startIdleTimer(): void {
    const { idleMs } = this.options;
    clearTimeout(this.idle);
    if (idleMs !== undefined) this.idle = setTimeout(() => this.retire(), idleMs).unref();
  }

  private retire(): void {
    const { worker } = this;
    this.worker = undefined;
    this.ready = false;
    void worker?.terminate();
  }
}

const isReady = (message: unknown): message is WorkerReady => typeof message === 'object' && message !== null && 'ready' in message;

const isOutOfMemory = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
