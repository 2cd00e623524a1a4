import type pg from 'pg';
import type { EventStore } from '../../../src/event-store/event-store.ts';
import type { StreamEvent } from '../../../src/kernel/event.ts';
import type { Log } from '../../../src/log/log.ts';
import type { Columns, View } from '../../../src/projections/authoring/define-view.ts';
import { type ListItem, KeyParked, type ListQuery, type Views, type ViewsAt } from '../../../src/projections/views/views.ts';

export class ProcessKilled extends Error {}

type Asynchronous = (...given: never[]) => Promise<unknown>;

/**
 * A process for crash tests that can be killed at each step, which is any await on something outside. Killed before a step, the step has no effect;
 * killed after it, the step has its effect but no answer. A killed process has no further effects.
 */
export class CrashableProcess {
  steps = 0;
  dead = false;
  private end: { readonly step: number; readonly how: 'before' | 'after' } | null = null;

  doom(step: number, how: 'before' | 'after'): void {
    this.steps = 0;
    this.end = { step, how };
  }

  async step<Result>(effect: () => Promise<Result>): Promise<Result> {
    this.live();
    const isLast = ++this.steps === this.end?.step;
    if (isLast && this.end?.how === 'before') this.dead = true;
    this.live();
    const result = await effect();
    if (isLast) this.dead = true;
    this.live();
    return result;
  }

  pool(pool: pg.Pool): pg.Pool {
    const client = (one: pg.PoolClient): pg.PoolClient =>
      replacing(one, {
        query: this.stepwise(one.query.bind(one) as Asynchronous),
        // The database undoes what a dead process left open when its connection ends.
        release: () => {
          one.release(this.dead);
        },
      });
    return replacing(pool, {
      query: this.stepwise(pool.query.bind(pool) as Asynchronous),
      connect: async () => client(await this.connected(pool)),
    });
  }

  private async connected(pool: pg.Pool): Promise<pg.PoolClient> {
    let made: pg.PoolClient | undefined;
    try {
      return await this.step(async () => (made = await pool.connect()));
    } catch (error) {
      made?.release(true);
      throw error;
    }
  }

  store(store: EventStore): EventStore {
    const readStream = async function* (
      life: CrashableProcess,
      ...given: Parameters<EventStore['readStream']>
    ): AsyncIterable<StreamEvent> {
      yield* await life.step(async () => {
        const events: StreamEvent[] = [];
        for await (const event of store.readStream(...given)) events.push(event);
        return events;
      });
    };
    return replacing(store, {
      append: (...given: Parameters<EventStore['append']>) => this.step(() => store.append(...given)),
      readStream: (...given: Parameters<EventStore['readStream']>) => readStream(this, ...given),
    });
  }

  log(log: Log): Log {
    return replacing(log, {
      read: (query: Parameters<Log['read']>[0]) => this.step(() => log.read(query)),
      at: (instant: string) => this.step(() => log.at(instant)),
      head: () => this.step(() => log.head()),
    });
  }

  views(views: ViewsAt, isParked: (view: string, key: string) => boolean): ViewsAt {
    const list = async (now: Views, view: View, query?: ListQuery<Columns<object>>): Promise<readonly ListItem<object>[]> => {
      const items = await this.step(() => now.list(view, query));
      const parked = items.find(({ key }) => isParked(view.name, key));
      if (parked !== undefined && query?.parked !== 'as before') throw new KeyParked(view.name, parked.key);
      return items;
    };
    const stepwise = (now: Views): Views =>
      replacing(now, {
        get: (view: View, key: string) => {
          if (isParked(view.name, key)) return Promise.reject(new KeyParked(view.name, key));
          return this.step(() => now.get(view, key));
        },
        many: this.stepwise(now.many.bind(now)),
        list: (view: View, query?: ListQuery<Columns<object>>) => list(now, view, query),
        across: this.stepwise(now.across.bind(now)),
      });
    return replacing(views, { now: () => stepwise(views.now()) });
  }

  private live(): void {
    if (this.dead) throw new ProcessKilled('killed');
  }

  private stepwise(call: Asynchronous): Asynchronous {
    return (...given) => this.step(() => call(...given));
  }
}

/** The same thing with some of its functions replaced. */
const replacing = <Thing extends object>(thing: Thing, replaced: Readonly<Record<string, unknown>>): Thing =>
  new Proxy(thing, {
    get: (target, name) => {
      if (typeof name === 'string' && Object.hasOwn(replaced, name)) return replaced[name];
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
