import { setImmediate as yieldToEventLoop } from 'node:timers/promises';

const SLICE_MS = 6;

/** Cooperative scheduling: lets long work on the shared thread yield to the event loop after every few milliseconds. */
export class TimeSlice {
  private began = performance.now();

  constructor(private readonly milliseconds = SLICE_MS) {}

  /** Asked in a loop before `next`, so that most rounds create no promise. */
  get isOver(): boolean {
    return performance.now() - this.began >= this.milliseconds;
  }

  async next(): Promise<void> {
    await yieldToEventLoop();
    this.began = performance.now();
  }
}
