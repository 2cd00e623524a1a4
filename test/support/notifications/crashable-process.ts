import type pg from 'pg';
import type { EventStore } from '../../../src/platform/event-store/event-store.ts';
import type { StreamEvent } from '../../../src/kernel/event.ts';
import type { Log } from '../../../src/platform/log/log.ts';
import type { Columns, View } from '../../../src/platform/read-models/authoring/define-view.ts';
import { type ListItem, KeyParked, type ListQuery, type Views, type ViewsAt } from '../../../src/platform/read-models/views/views.ts';

export class ProcessKilled extends Error {}

type Asynchronous = (...given: never[]) => Promise<unknown>;

/**
 * A process for crash tests that can be killed at each step, which is any await on something outside. Killed before a step, the step has no effect;
 * killed after it, the step has its effect but no answer. A killed process has no further effects.
 */
export class CrashableProcess {
  steps = 0;
  isDead = false;
  private end: { readonly step: number; readonly how: 'before' | 'after' } | null = null;

  killAt(step: number, how: 'before' | 'after'): void {
    this.steps = 0;
    this.end = { step, how };
  }

  async step<Result>(effect: () => Promise<Result>): Promise<Result> {
    this.throwIfKilled();
    const isKillStep = ++this.steps === this.end?.step;
    if (isKillStep && this.end?.how === 'before') this.isDead = true;
    this.throwIfKilled();
    const result = await effect();
    if (isKillStep) this.isDead = true;
    this.throwIfKilled();
    return result;
  }

  pool(pool: pg.Pool): pg.Pool {
    const client = (one: pg.PoolClient): pg.PoolClient =>
      replacing(one, {
        query: this.stepwise(one.query.bind(one) as Asynchronous),
        // The database rolls back the open transaction of a killed process when its connection closes.
        release: () => {
          one.release(this.isDead);
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
      crashable: CrashableProcess,
      ...given: Parameters<EventStore['readStream']>
    ): AsyncIterable<StreamEvent> {
      yield* await crashable.step(async () => {
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

  private throwIfKilled(): void {
    if (this.isDead) throw new ProcessKilled('killed');
  }

  private stepwise(call: Asynchronous): Asynchronous {
    return (...given) => this.step(() => call(...given));
  }
}

/** A proxy of an object with some of its methods replaced. */
const replacing = <Target extends object>(target: Target, replaced: Readonly<Record<string, unknown>>): Target =>
  new Proxy(target, {
    get: (original, name) => {
      if (typeof name === 'string' && Object.hasOwn(replaced, name)) return replaced[name];
      const value: unknown = Reflect.get(original, name);
      return typeof value === 'function' ? (value.bind(original) as unknown) : value;
    },
  });
