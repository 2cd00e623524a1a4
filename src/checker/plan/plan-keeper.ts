import { LogReplaced } from '../../log/log.ts';
import type { LogEvent } from '../../kernel/event.ts';
import type { Log } from '../../log/log.ts';
import { areaView } from '../../projections/read-models/area/area.view.ts';
import { checkView } from '../../projections/read-models/check/check.view.ts';
import { type Item, type ListPosition, unlessParked, type Views } from '../../projections/views/views.ts';
import { projectView } from '../../projections/read-models/project/project.view.ts';
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
const MEND_MS = 5_000;

/** Loads the plan from the read models once, and then keeps it abreast of the log. */
export class PlanKeeper {
  readonly plan = new Plan();
  private readonly closing = new AbortController();
  private following: Promise<void> | undefined;
  private mending: Promise<void> | undefined;
  /** The last event that the plan has taken. */
  private taken = -1;
  /** Scopes of which a row is as it was before an event that could not be folded. */
  private readonly outdated = new Set<string>();

  constructor(private readonly options: PlanKeeperOptions) {}

  async start(): Promise<void> {
    const { views } = this.options;
    // The tables may be a moment further than the position says: what is then applied twice changes nothing the second time.
    const position = views.position();
    this.taken = position;
    for await (const row of this.pages((after) => views.list(projectView, query(after)))) this.plan.putProject(row);
    for await (const row of this.pages((after) => views.list(areaView, query(after)))) this.plan.putArea(row);
    for await (const row of this.pages((after) => views.list(checkView, query(after)))) this.plan.putCheck(row);
    this.following = this.follow(position);
    this.mendSoon();
  }

  /** Of another history than the one that was followed nothing is known: every project is read again, those that are gone too. */
  private async beginAgain(): Promise<number> {
    const { views } = this.options;
    const position = views.position();
    this.taken = position;
    for (const projectId of this.plan.ids()) this.outdated.add(`project-${projectId}`);
    for await (const row of this.pages((after) => views.list(projectView, query(after)))) this.outdated.add(scopeOf(row));
    this.mendSoon();
    return position;
  }

  async close(): Promise<void> {
    this.closing.abort();
    await Promise.all([this.following, this.mending]);
  }

  /** A log that cannot be read is told and tried again, from where it was; the checks go on meanwhile with what is known. */
  private async follow(position: number): Promise<void> {
    const { log, report, sleep } = this.options;
    const { signal } = this.closing;
    let after = position;
    let isOther = false;
    while (!signal.aborted) {
      try {
        if (isOther) after = await this.beginAgain();
        isOther = false;
        for await (const batch of log.follow(after, signal)) {
          this.take(batch);
          after = batch.at(-1)?.n ?? after;
        }
      } catch (error) {
        report(error, 'following the log');
        await sleep(AGAIN_MS, signal);
        isOther ||= error instanceof LogReplaced;
      }
    }
  }

  /** A project of which a row could not be read goes on as it was before, and as it is once an operator has seen to it. */
  private mendSoon(): void {
    if (this.outdated.size === 0 || this.closing.signal.aborted) return;
    this.mending ??= this.mend().finally(() => {
      this.mending = undefined;
      // What came in the last moment.
      this.mendSoon();
    });
  }

  private async mend(): Promise<void> {
    const { report, sleep } = this.options;
    const { signal } = this.closing;
    while (!signal.aborted && this.outdated.size > 0) {
      for (const scope of [...this.outdated]) {
        try {
          if ((await unlessParked(this.readAgain(scope))) === true) this.outdated.delete(scope);
        } catch (error) {
          report(error, 'reading a project again');
        }
      }
      if (this.outdated.size > 0) await sleep(MEND_MS, signal);
    }
  }

  /** False: something of it came meanwhile, and it is read once more. */
  private async readAgain(scope: string): Promise<boolean> {
    const { views, onChanged } = this.options;
    const projectId = scope.slice('project-'.length);
    const taken = this.taken;
    const [project, areas, checks] = await Promise.all([
      views.get(projectView, projectId),
      views.list(areaView, { scope }),
      views.list(checkView, { scope }),
    ]);
    if (this.taken !== taken || views.position() < taken) return false;
    this.plan.replace(projectId, { project, areas: areas.map(({ row }) => row), checks: checks.map(({ row }) => row) });
    onChanged(projectId);
    return true;
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
    this.taken = batch.at(-1)?.n ?? this.taken;
    each(batch, (event) => {
      try {
        const projectId = this.plan.apply(event);
        if (projectId !== null) changed.add(projectId);
      } catch (error) {
        this.outdated.add(event.scope);
        throw error;
      }
    });
    this.mendSoon();
    each(changed, onChanged);
    each(batch, onEvent);
  }

  private async *pages<Row extends { readonly id: string; readonly projectId?: string }>(
    list: (after: ListPosition | undefined) => Promise<readonly Item<Row>[]>,
  ): AsyncGenerator<Row> {
    for (let after: ListPosition | undefined; ;) {
      const page = await list(after);
      for (const { row, isParked } of page) {
        if (isParked === true) this.outdated.add(scopeOf(row));
        yield row;
      }
      const last = page.at(-1);
      if (last === undefined || page.length < PAGE) return;
      after = { key: last.key };
    }
  }
}

const query = (after: ListPosition | undefined) =>
  ({ limit: PAGE, parked: 'as before', ...(after === undefined ? {} : { after }) }) as const;

const scopeOf = (row: { readonly id: string; readonly projectId?: string }): string => `project-${row.projectId ?? row.id}`;
