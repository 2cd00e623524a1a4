import { existsSync, readFileSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { setImmediate as eventLoopTick, setTimeout as pause } from 'node:timers/promises';

/** Linux alone tells the processor time of a single thread. */
export const canMeasureThreads = existsSync('/proc/self/schedstat');

/** Milliseconds of processor time that the main thread of a process has taken: the same on a busy machine. */
const cpuOf = (pid: number): number =>
  Number(readFileSync(`/proc/${String(pid)}/task/${String(pid)}/schedstat`, 'utf8').split(' ', 1)[0]) / 1e6;

/** Milliseconds of processor time of this thread. */
const threadMs = (): number => Number(readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ', 1)[0]) / 1e6;

/** The longest slice of processor time of this thread between two ticks of the event loop. */
export async function longestSlice(work: Promise<unknown>): Promise<number> {
  let [longest, isDone] = [0, false];
  const end = work.finally(() => (isDone = true));
  for (let before = threadMs(); !isDone; before = threadMs()) {
    await eventLoopTick();
    longest = Math.max(longest, threadMs() - before);
  }
  await end;
  return longest;
}

const EVERY_MS = 10;

/**
 * Asks `/health/live` every 10 ms. A stall is the processor time that the event loop spends on other things while such a request waits; wall time
 * would also count what other processes of the machine take.
 */
export class EventLoopWatch {
  private readonly agent = new Agent({ keepAlive: true });
  private longest = 0;
  private asked = 0;
  private stopped = false;
  private readonly running: Promise<void>;

  constructor(
    private readonly url: string,
    private readonly pid: number,
  ) {
    this.running = this.run();
  }

  /** The longest stall while `work` runs, in milliseconds. */
  async during(work: () => Promise<void>): Promise<number> {
    await this.next();
    this.longest = 0;
    await work();
    await this.next();
    return this.longest;
  }

  async stop(): Promise<void> {
    this.stopped = true;
    await this.running;
    this.agent.destroy();
  }

  /** Two answers later: the one that was waited for meanwhile, and one that was asked for after it. */
  private async next(): Promise<void> {
    for (const wanted = this.asked + 2; this.asked < wanted && !this.stopped;) await pause(1);
  }

  /** A connection that the service closes between two requests is opened again. */
  private ask(): Promise<void> {
    return new Promise((resolve) => {
      const asked = get(`${this.url}/health/live`, { agent: this.agent }, (answer) => answer.resume().once('close', resolve));
      asked.once('error', () => {
        resolve();
      });
    });
  }

  private async run(): Promise<void> {
    while (!this.stopped) {
      const before = cpuOf(this.pid);
      await this.ask();
      this.longest = Math.max(this.longest, cpuOf(this.pid) - before);
      this.asked++;
      await pause(EVERY_MS);
    }
  }
}
