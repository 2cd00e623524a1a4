import type { LogEvent } from '../../kernel/event.ts';
import { AtLeastOnceConsumer } from '../../platform/consumers/at-least-once-consumer.ts';
import { type ConsumerStore, type NewConsumer, RETRY_FOR_THREE_DAYS } from '../../platform/consumers/consumer-store.ts';
import type { Log } from '../../platform/log/log.ts';
import type { Wake } from '../../platform/postgres/wake.ts';
import type { ReactorShape } from '../manifest.ts';
import { TeamProcessEnded } from '../process/running-child.ts';

export interface ReactorConsumerOptions {
  readonly reactor: ReactorShape;
  /** The package that it belongs to. */
  readonly from: string;
  readonly log: Log;
  readonly wake: Wake;
  readonly store: ConsumerStore;
  readonly react: (event: LogEvent) => Promise<void>;
  readonly onParked: (event: LogEvent, error: unknown) => void;
}

/** The name of its consumer and its lease. */
export const consumerOfReactor = (name: string): string => `reactor:${name}`;

export const reactorIn = (from: string, { name }: ReactorShape): NewConsumer => ({
  name: consumerOfReactor(name),
  about: `a reactor of ${from}`,
  package: from,
});

/** Partitions at a time. */
const CONCURRENT = 8;
/** Ends of the process in a row with the same event under way. */
const REPEATS = 2;

/** Feeds one reactor. An event at which the process of the package ends repeatedly is parked as one that fails. */
export class ReactorConsumer {
  private readonly consumer: AtLeastOnceConsumer;
  /** Events that were under way when the process ended the last time. */
  private readonly ended = new Set<string>();
  /** The same with the number of ends in a row. */
  private suspects = new Map<string, number>();

  constructor(private readonly options: ReactorConsumerOptions) {
    const { reactor, from } = options;
    this.consumer = new AtLeastOnceConsumer({
      ...options,
      ...reactorIn(from, reactor),
      retry: RETRY_FOR_THREE_DAYS,
      identity: { name: reactor.name, signature: 'reactor' },
      wants: ({ type }) => reactor.handles.includes(type),
      begin: () => Promise.resolve((event) => this.react(event)),
      // One at a time after the process ended: the next end then shows which event it was.
      concurrent: () => (this.suspects.size > 0 ? 1 : CONCURRENT),
      isInterruption: (error) => error instanceof TeamProcessEnded,
    });
  }

  /** Returns when the signal aborts; rejects when the process of the package ends. */
  async work(signal: AbortSignal): Promise<void> {
    try {
      await this.consumer.work(signal);
    } catch (error) {
      if (error instanceof TeamProcessEnded) {
        this.suspects = new Map([...this.ended].map((id) => [id, (this.suspects.get(id) ?? 0) + 1]));
        this.ended.clear();
      }
      throw error;
    }
  }

  private async react(event: LogEvent): Promise<void> {
    try {
      if ((this.suspects.get(event.id) ?? 0) >= REPEATS) throw new Error('the process of the package ended while it handled the event');
      await this.options.react(event);
    } catch (error) {
      if (error instanceof TeamProcessEnded) this.ended.add(event.id);
      else this.suspects.delete(event.id);
      throw error;
    }
    this.suspects.delete(event.id);
  }
}
