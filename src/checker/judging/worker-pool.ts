import { Worker, type ResourceLimits } from 'node:worker_threads';
import { computedMs } from './thread-time.ts';

/**
 * `memory`: it took too much; `broken`: the thread fell over for reasons of its own; `crowded`: it waited too long for a thread;
 * `starved`: the machine had no time for the thread; `unwanted`: nobody wanted it any more when its turn came.
 */
export type Ending = 'done' | 'late' | 'memory' | 'broken' | 'crowded' | 'starved' | 'unwanted';

/** What a thread tells once it has loaded: where its account of computing time stands. */
export interface Ready {
  readonly ready: string | null;
}

interface Task {
  readonly message: unknown;
  readonly timeoutMs: number;
  /** May answer with a new number of milliseconds from now on: a part of the task is done, and the next has a bound of its own. */
  readonly tell: (report: unknown) => number | undefined;
  readonly end: (ending: Ending) => void;
  readonly isWanted: () => boolean;
  readonly bytes: number;
  readonly since: number;
}

export interface TaskOptions {
  /** Asked when its turn comes. */
  readonly isWanted?: () => boolean;
  /** What it holds in memory while it waits, about. */
  readonly bytes?: number;
}

export interface WorkerPoolOptions {
  readonly entry: URL;
  readonly size: number;
  readonly limits?: ResourceLimits;
  /** So many tasks at the most wait, and so many bytes with them; who comes then is not begun. */
  readonly mostWaiting?: number;
  readonly mostBytes?: number;
  /** A task that waited this long for a thread is not begun. */
  readonly longestWaitMs?: number;
  /** A thread that had nothing to do for this long gives its memory back. */
  readonly idleMs?: number;
}

/** A thread has this long to load its code. */
const LOAD_MS = 30_000;
/** A bound is one of computing: on a machine that does other things the clock may run on this many times as long. */
const BUSY = 40;
const LOOK_MS = 5;
const MOST_WAITING = 500;
const MOST_BYTES = 64 * 1024 * 1024;

/** One thread with one task at a time. A task that is late, or takes too much memory, costs the thread its life and nobody else anything. */
class Seat {
  private worker: Worker | undefined;
  private ready = false;
  private task: Task | undefined;
  private timer: NodeJS.Timeout | undefined;
  private thread: string | null = null;
  private idle: NodeJS.Timeout | undefined;
  private closed = false;

  constructor(
    private readonly options: WorkerPoolOptions,
    private readonly onFree: () => void,
  ) {}

  get isFree(): boolean {
    return this.task === undefined;
  }

  take(task: Task): void {
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
        this.thread = message.ready;
        this.ready = true;
        this.send();
      } else if (message === 'done') this.end('done');
      else if (message === 'spent') this.replace(worker, 'done');
      else this.hear(worker, message);
    });
    worker.on('error', (error: unknown) => this.replace(worker, isOutOfMemory(error) ? 'memory' : 'broken'));
    worker.on('exit', () => this.replace(worker, 'broken'));
  }

  private hear(worker: Worker, message: unknown): void {
    const timeoutMs = this.task?.tell(message);
    if (timeoutMs === undefined) return;
    this.bound(worker, timeoutMs);
  }

  /** What counts is what the thread computed, where that can be known: a page is not to blame for what else the machine does. */
  private bound(worker: Worker, boundMs: number): void {
    const { thread } = this;
    const began = performance.now();
    const before = computedMs(thread);
    const wait = (milliseconds: number): void => {
      clearTimeout(this.timer);
      this.timer = setTimeout(look, milliseconds);
    };
    const look = (): void => {
      const now = before === null ? null : computedMs(thread);
      const left = before === null || now === null ? 0 : boundMs - (now - before);
      if (left <= 0) this.replace(worker, 'late');
      else if (performance.now() - began > boundMs * BUSY) this.replace(worker, 'starved');
      else wait(Math.max(left, LOOK_MS));
    };
    wait(boundMs);
  }

  private send(): void {
    const { task, worker } = this;
    if (task === undefined || worker === undefined) return;
    this.bound(worker, task.timeoutMs);
    worker.postMessage(task.message);
  }

  private replace(worker: Worker, ending: Ending): void {
    if (worker !== this.worker) return;
    const wasReady = this.ready;
    clearTimeout(this.timer);
    this.worker = undefined;
    this.ready = false;
    void worker.terminate();
    // The next one loads while nobody waits for it. Not when this one never came to load: that would go on for ever.
    if (wasReady && !this.closed) this.start();
    this.end(ending);
  }

  private end(ending: Ending): void {
    if (this.ready) clearTimeout(this.timer);
    const { task } = this;
    this.task = undefined;
    this.rest();
    task?.end(ending);
    if (task !== undefined) this.onFree();
  }

  /** `take` ends it. */
  private rest(): void {
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

const isReady = (message: unknown): message is Ready => typeof message === 'object' && message !== null && 'ready' in message;

const isOutOfMemory = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';

export class WorkerPool {
  private readonly seats: readonly Seat[];
  private readonly waiting: Task[] = [];
  private bytes = 0;
  refused = 0;

  constructor(private readonly options: WorkerPoolOptions) {
    this.seats = Array.from({ length: options.size }, () => new Seat(options, () => this.next()));
  }

  get queued(): number {
    return this.waiting.length;
  }

  run(message: unknown, timeoutMs: number, tell: Task['tell'], { isWanted = () => true, bytes = 0 }: TaskOptions = {}): Promise<Ending> {
    const { mostWaiting = MOST_WAITING, mostBytes = MOST_BYTES } = this.options;
    // One alone may be as large as it is.
    if (this.waiting.length >= mostWaiting || (this.waiting.length > 0 && this.bytes + bytes > mostBytes)) {
      this.refused++;
      return Promise.resolve('crowded');
    }
    return new Promise((end) => {
      this.waiting.push({ message, timeoutMs, tell, end, isWanted, bytes, since: performance.now() });
      this.bytes += bytes;
      this.next();
    });
  }

  async close(): Promise<void> {
    for (const task of this.waiting.splice(0)) task.end('crowded');
    this.bytes = 0;
    await Promise.all(this.seats.map((seat) => seat.close()));
  }

  private next(): void {
    const { longestWaitMs = 10_000 } = this.options;
    for (;;) {
      const seat = this.seats.find(({ isFree }) => isFree);
      if (seat === undefined) return;
      const task = this.waiting.shift();
      if (task === undefined) return;
      this.bytes -= task.bytes;
      if (performance.now() - task.since > longestWaitMs) task.end('crowded');
      else if (!task.isWanted()) task.end('unwanted');
      else seat.take(task);
    }
  }
}
