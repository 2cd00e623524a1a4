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

interface PoolTask {
  readonly message: unknown;
  readonly timeoutMs: number;
  /** Called for each message of the thread; a returned number of milliseconds replaces the time limit from now on. */
  readonly onReport: (report: unknown) => number | undefined;
  readonly end: (result: PoolResult) => void;
  readonly isWanted: () => boolean;
  readonly bytes: number;
  readonly since: number;
}

export interface TaskOptions {
  /** Evaluated when a thread is free. */
  readonly isWanted?: () => boolean;
  /** Approximate memory held while it waits. */
  readonly bytes?: number;
}

export interface WorkerPoolOptions {
  readonly entry: URL;
  readonly size: number;
  readonly limits?: ResourceLimits;
  /** Limits of the queue; further tasks are refused. */
  readonly maxQueue?: number;
  readonly maxQueueBytes?: number;
  /** A task that waited longer for a thread is not started. */
  readonly maxWaitMs?: number;
  /** A thread that was idle for this long is terminated, to free its memory. */
  readonly idleMs?: number;
}

/** Time limit for loading the code of a thread. */
const LOAD_MS = 30_000;
/** Time limits are CPU time; on a busy machine the wall clock may take this many times as long. */
const MAX_BUSY_FACTOR = 40;
const POLL_MS = 5;
const MAX_QUEUE = 500;
const MAX_QUEUE_BYTES = 64 * 1024 * 1024;

/** One thread with one task at a time; a task that exceeds its limits has its thread terminated and replaced. */
class WorkerSlot {
  private worker: Worker | undefined;
  private ready = false;
  private task: PoolTask | undefined;
  private timer: NodeJS.Timeout | undefined;
  private statPath: string | null = null;
  private idle: NodeJS.Timeout | undefined;
  private closed = false;

  constructor(
    private readonly options: WorkerPoolOptions,
    private readonly onFree: () => void,
  ) {}

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
      else if (performance.now() - began > limitMs * MAX_BUSY_FACTOR) this.replace(worker, 'starved');
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
    if (task !== undefined) this.onFree();
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

/** A pool of worker threads with a bounded queue. */
export class WorkerPool {
  private readonly slots: readonly WorkerSlot[];
  private readonly waiting: PoolTask[] = [];
  private bytes = 0;
  refused = 0;

  constructor(private readonly options: WorkerPoolOptions) {
    this.slots = Array.from({ length: options.size }, () => new WorkerSlot(options, () => this.startNext()));
  }

  get queued(): number {
    return this.waiting.length;
  }

  run(
    message: unknown,
    timeoutMs: number,
    onReport: PoolTask['onReport'],
    { isWanted = () => true, bytes = 0 }: TaskOptions = {},
  ): Promise<PoolResult> {
    const { maxQueue = MAX_QUEUE, maxQueueBytes = MAX_QUEUE_BYTES } = this.options;
    // A single task may exceed the limit of bytes.
    if (this.waiting.length >= maxQueue || (this.waiting.length > 0 && this.bytes + bytes > maxQueueBytes)) {
      this.refused++;
      return Promise.resolve('crowded');
    }
    return new Promise((end) => {
      this.waiting.push({ message, timeoutMs, onReport, end, isWanted, bytes, since: performance.now() });
      this.bytes += bytes;
      this.startNext();
    });
  }

  async close(): Promise<void> {
    for (const task of this.waiting.splice(0)) task.end('crowded');
    this.bytes = 0;
    await Promise.all(this.slots.map((slot) => slot.close()));
  }

  private startNext(): void {
    const { maxWaitMs = 10_000 } = this.options;
    for (;;) {
      const slot = this.slots.find(({ isFree }) => isFree);
      if (slot === undefined) return;
      const task = this.waiting.shift();
      if (task === undefined) return;
      this.bytes -= task.bytes;
      if (performance.now() - task.since > maxWaitMs) task.end('crowded');
      else if (!task.isWanted()) task.end('unwanted');
      else slot.assign(task);
    }
  }
}
