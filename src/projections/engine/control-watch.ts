import type { Wake } from '../../persistence/wake.ts';

/** Rung when an operator asked for something. */
export const CONTROL_TOPIC = 'projections';
const CONTROL_MS = 2_000;

/** Says when it is time to look what operators asked for, without making a busy runner wait for the answer. */
export class ControlWatch {
  private isDue = true;
  private readonly closing = new AbortController();

  constructor(wake: Wake) {
    void this.watch(wake);
  }

  due(): boolean {
    const due = this.isDue;
    this.isDue = false;
    return due;
  }

  close(): void {
    this.closing.abort();
  }

  private async watch(wake: Wake): Promise<void> {
    const bell = wake.bell(CONTROL_TOPIC);
    while (!this.closing.signal.aborted) {
      await bell.wait(CONTROL_MS, this.closing.signal);
      this.isDue = true;
    }
    bell.close();
  }
}
