import type { LaneFigures, WorkSource } from '../../kernel/concurrency-limit.ts';
import { inconclusive, type Inconclusive } from '../probe/outcome.ts';
import { WorkerPool } from '../judging/worker-pool.ts';
import { tooMuchForTree } from '../rules/tree-size.ts';
import type { FormsTask, FoundForm } from './found-form.ts';

export type FormsRead =
  | { readonly kind: 'read'; readonly forms: readonly FoundForm[] }
  | { readonly kind: 'refused'; readonly reason: string }
  | Inconclusive;

const TIMEOUT_MS = 3_000;
const IDLE_MS = 120_000;
const MAX_PAGE = 1024 * 1024;

/** Finds the forms of a page on a worker thread that can be terminated. */
export class FormReader {
  private readonly pool: WorkerPool;

  constructor(entry: URL = new URL('./forms-worker.js', import.meta.url)) {
    this.pool = new WorkerPool({
      entry,
      size: 1,
      idleMs: IDLE_MS,
      limits: { maxOldGenerationSizeMb: 192, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 },
    });
  }

  async findForms(html: string, url: string, charset: string, source?: WorkSource): Promise<FormsRead> {
    if (html.length > MAX_PAGE) return { kind: 'refused', reason: 'the page is larger than 1 MiB' };
    const tooMuch = tooMuchForTree(html);
    if (tooMuch !== null) return { kind: 'refused', reason: tooMuch };
    let forms: readonly FoundForm[] = [];
    const task: FormsTask = { html, url, charset };
    const onReport = (report: unknown): undefined => {
      // The worker of this entry sends nothing else.
      forms = report as readonly FoundForm[];
      return undefined;
    };
    const result = await this.pool.run(task, TIMEOUT_MS, onReport, { bytes: html.length, ...(source && { source }) });
    if (result === 'done') return { kind: 'read', forms };
    if (result === 'late' || result === 'memory') return { kind: 'refused', reason: 'reading the page took too much time or memory' };
    return inconclusive('the thread that reads forms is not available');
  }

  get queue(): LaneFigures {
    return this.pool.queue;
  }

  close(): Promise<void> {
    return this.pool.close();
  }
}
