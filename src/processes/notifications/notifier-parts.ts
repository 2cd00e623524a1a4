import type pg from 'pg';
import type { Wake } from '../../persistence/wake.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Log } from '../../log/log.ts';
import type { ViewsAt } from '../../projections/views/views.ts';

export interface NotifierParts {
  readonly pool: pg.Pool;
  readonly log: Log;
  readonly views: ViewsAt;
  readonly wake: Pick<Wake, 'ring'>;
  readonly clock: Clock;
  /** There is a mail server. */
  readonly mailIsOn: boolean;
}
