import { ConcurrencyLimit } from '../../kernel/concurrency-limit.ts';
import { Progress } from '../../platform/cli/progress.ts';
import type { SiteRequest } from './site-requests.ts';

/** At a time: one is parsed while another is planned. */
const AT_ONCE = 2;

/** Sends requests of sites as they come, and none after one that failed. */
export class RequestTurns<Answer> {
  private readonly limit = new ConcurrencyLimit(AT_ONCE);
  private readonly progress: Progress;
  private readonly running: Promise<readonly Answer[]>[] = [];
  private readonly failures: unknown[] = [];
  private isAbandoned = false;
  private done = 0;

  constructor(
    label: string,
    /** How many sites there will be. */
    private readonly expected: number,
    private readonly post: (request: SiteRequest) => Promise<Answer>,
  ) {
    this.progress = new Progress(label, process.stderr, () => performance.now(), 'sites');
  }

  send(request: SiteRequest): void {
    this.progress.report(this.done, this.expected);
    this.running.push(this.limit.run(() => this.answer(request)));
  }

  /** In the order in which the requests were sent. */
  async answers(): Promise<readonly Answer[]> {
    try {
      const answers = (await Promise.all(this.running)).flat();
      if (this.failures.length > 0) throw this.failures[0];
      return answers;
    } finally {
      this.progress.end();
    }
  }

  /** Sends nothing more; what is under way ends by itself. */
  abandon(): void {
    this.isAbandoned = true;
    this.progress.end();
  }

  private async answer(request: SiteRequest): Promise<readonly Answer[]> {
    if (this.isAbandoned || this.failures.length > 0) return [];
    try {
      const answer = await this.post(request);
      this.done += request.keys.length;
      if (!this.isAbandoned) this.progress.report(this.done, this.expected);
      return [answer];
    } catch (error) {
      this.failures.push(error);
      return [];
    }
  }
}
