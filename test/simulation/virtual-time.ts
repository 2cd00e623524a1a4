/** Of the projects. */
export const LOCATIONS: readonly string[] = ['eu', 'us'];

/** Timers of a slow machine fire so much later: the checker notices above 75 ms. */
const SLOW_MS = 300;

/** A simulated process, which can be paused, slowed down, cut off from the database, given a wrong clock, or killed. */
export class Machine {
  alive = true;
  pausedUntil = 0;
  cutUntil = 0;
  slowUntil = 0;
  /** Its read models are too far behind for a decision. */
  behindUntil = 0;
  /** The error of its wall clock. */
  offset = 0;

  constructor(
    readonly name: string,
    private readonly time: VirtualTime,
    /** That its checker serves. */
    readonly locations: readonly string[] = LOCATIONS,
  ) {}

  /** Whole milliseconds. */
  readonly now = (): number => Math.floor(this.time.now + this.offset);

  get reachesDatabase(): boolean {
    return this.alive && this.time.now >= this.pausedUntil && this.time.now >= this.cutUntil;
  }

  /** How far its read models are behind, in seconds. */
  get lag(): number {
    if (this.time.now < this.behindUntil) return 3;
    return this.time.now < this.slowUntil ? 1.5 : 0;
  }

  after(milliseconds: number, work: () => void): () => void {
    return this.time.after(milliseconds + (this.time.now < this.slowUntil ? SLOW_MS : 0), work, this);
  }

  sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal?.aborted === true) {
        resolve();
        return;
      }
      const callOff = this.after(milliseconds, () => {
        signal?.removeEventListener('abort', early);
        resolve();
      });
      const early = (): void => {
        callOff();
        resolve();
      };
      signal?.addEventListener('abort', early, { once: true });
    });
  }
}

interface Timer {
  at: number;
  order: number;
  readonly machine: Machine | null;
  work: (() => void) | null;
}

/** Virtual time: it advances to the next timer when no work is left. */
export class VirtualTime {
  private readonly heap: Timer[] = [];
  private order = 0;
  private held = 0;
  private letGo: () => void = () => undefined;

  constructor(public now: number) {}

  after(milliseconds: number, work: () => void, machine: Machine | null = null): () => void {
    const timer: Timer = { at: this.now + Math.max(0, milliseconds), order: this.order++, machine, work };
    this.push(timer);
    return () => {
      timer.work = null;
    };
  }

  /** Stops virtual time while real work is in progress, such as a query. */
  async hold<T>(work: Promise<T>): Promise<T> {
    this.held++;
    try {
      return await work;
    } finally {
      if (--this.held === 0) this.letGo();
    }
  }

  async run(until: number): Promise<void> {
    for (let first = this.heap[0]; first !== undefined && first.at <= until; first = this.heap[0]) {
      this.pop();
      const { machine, work } = first;
      if (work === null || machine?.alive === false) continue;
      this.now = Math.max(this.now, first.at);
      if (machine !== null && machine.pausedUntil > this.now) {
        // The same timer, so that it can still be called off.
        this.push(Object.assign(first, { at: machine.pausedUntil, order: this.order++ }));
        continue;
      }
      work();
      await this.settled();
    }
    this.now = until;
  }

  /** Whatever follows at the same instant. */
  private async settled(): Promise<void> {
    await new Promise((settled) => setImmediate(settled));
    while (this.held > 0) {
      await new Promise<void>((resolve) => (this.letGo = resolve));
      await new Promise((settled) => setImmediate(settled));
    }
  }

  private push(timer: Timer): void {
    const { heap } = this;
    let at = heap.push(timer) - 1;
    for (let parent = (at - 1) >> 1; at > 0 && before(heap[at], heap[parent]); parent = (at - 1) >> 1) at = swap(heap, at, parent);
  }

  private pop(): void {
    const { heap } = this;
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return;
    heap[0] = last;
    for (let at = 0; ;) {
      const [left, right] = [2 * at + 1, 2 * at + 2];
      let least = at;
      if (before(heap[left], heap[least])) least = left;
      if (before(heap[right], heap[least])) least = right;
      if (least === at) return;
      at = swap(heap, at, least);
    }
  }
}

const before = (one: Timer | undefined, other: Timer | undefined): boolean =>
  one !== undefined && other !== undefined && (one.at < other.at || (one.at === other.at && one.order < other.order));

function swap(heap: Timer[], from: number, to: number): number {
  const [one, other] = [heap[from], heap[to]];
  if (one !== undefined && other !== undefined) [heap[from], heap[to]] = [other, one];
  return to;
}
