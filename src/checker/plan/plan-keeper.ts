import type { LogEvent } from '../../kernel/event.ts';
import type { Log } from '../../log/log.ts';
import { areaView } from '../../projections/area/area.view.ts';
import { checkView } from '../../projections/check/check.view.ts';
import type { Item, ListPlace, Views } from '../../projections/kit/views.ts';
import { projectView } from '../../projections/project/project.view.ts';
import { Plan } from './plan.ts';

const PAGE = 1_000;

export interface PlanKeeperOptions {
  readonly views: Views;
  readonly log: Pick<Log, 'follow'>;
  readonly onChanged: (projectId: string) => void;
  /** Every event of the log, after the plan has taken it. */
  readonly onEvent: (event: LogEvent) => void;
  readonly report: (error: unknown, what: string) => void;
  /** Ends early, without an error, when aborted. */
  readonly sleep: (milliseconds: number, signal: AbortSignal) => Promise<void>;
}

const AGAIN_MS = 2_000;

/** Loads the plan from the read models once, and then keeps it abreast of the log. */
export class PlanKeeper {
  readonly plan = new Plan();
  private readonly closing = new AbortController();
  private following: Promise<void> | undefined;

  constructor(private readonly options: PlanKeeperOptions) {}

  async start(): Promise<void> {
    const { views } = this.options;
    // The tables may be a moment further than the position says: what is then applied twice changes nothing the second time.
    const position = views.position();
    for await (const row of pages((after) => views.list(projectView, query(after)))) this.plan.putProject(row);
    for await (const row of pages((after) => views.list(areaView, query(after)))) this.plan.putArea(row);
    for await (const row of pages((after) => views.list(checkView, query(after)))) this.plan.putCheck(row);
    this.following = this.follow(position);
  }

  async close(): Promise<void> {
    this.closing.abort();
    await this.following;
  }

  /** A log that cannot be read is told and tried again, from where it was; the checks go on meanwhile with what is known. */
  private async follow(position: number): Promise<void> {
    const { log, report, sleep } = this.options;
    const { signal } = this.closing;
    let after = position;
    while (!signal.aborted) {
      try {
        for await (const batch of log.follow(after, signal)) {
          this.take(batch);
          after = batch.at(-1)?.n ?? after;
        }
      } catch (error) {
        report(error, 'following the log');
        await sleep(AGAIN_MS, signal);
      }
    }
  }

  private take(batch: readonly LogEvent[]): void {
    const { onChanged, onEvent, report } = this.options;
    const changed = new Set<string>();
    // What one event spoils is told, and is no reason to miss the others.
    const each = <Item>(items: Iterable<Item>, work: (item: Item) => void): void => {
      for (const item of items) {
        try {
          work(item);
        } catch (error) {
          report(error, 'an event of the log');
        }
      }
    };
    each(batch, (event) => {
      const projectId = this.plan.apply(event);
      if (projectId !== null) changed.add(projectId);
    });
    each(changed, onChanged);
    each(batch, onEvent);
  }
}

const query = (after: ListPlace | undefined) => ({ limit: PAGE, ...(after === undefined ? {} : { after }) });

async function* pages<Row>(list: (after: ListPlace | undefined) => Promise<readonly Item<Row>[]>): AsyncGenerator<Row> {
  for (let after: ListPlace | undefined; ;) {
    const page = await list(after);
    for (const { row } of page) yield row;
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) return;
    after = { key: last.key };
  }
}
