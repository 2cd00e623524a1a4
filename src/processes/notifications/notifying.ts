import type pg from 'pg';
import type { Keyring } from '../../security/keyring/keyring.ts';
import { DeliveryStore } from '../../delivery/outbox/delivery-store.ts';
import type { Wake } from '../../persistence/wake.ts';
import type { Handling } from '../../commands/handle.ts';
import { NotificationRecord } from '../../commands/notification/record-notification.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Log } from '../../log/log.ts';
import { ClosedBooks } from '../../observations/closed-days/closed-books.ts';
import type { SampleReader } from '../../observations/samples/sample-store.ts';
import type { ViewsAt } from '../../projections/views/views.ts';
import { CorrectionReader } from '../../projections/read-models/correction/correction.reader.ts';
import { ResponseTimesReader } from '../../projections/read-models/response-times/response-times.reader.ts';
import { UptimeReader } from '../../projections/read-models/uptime/uptime.reader.ts';
import type { Outside } from '../../delivery/channels/channel.ts';
import { Notifier } from './notifier.ts';
import { ReportPlanner } from '../reports/planner.ts';
import { ReportCourier } from '../reports/report-courier.ts';
import { ReportReader } from '../reports/report-reader.ts';
import { AddressBook } from '../../delivery/sender/address-book.ts';
import { AlertCourier } from '../../delivery/sender/alert-courier.ts';
import { Bundling } from '../../delivery/sender/bundling.ts';
import { EarlierSettings } from '../../delivery/sender/earlier-settings.ts';
import { MessageReader } from '../../delivery/sender/message-reader.ts';
import { Sender } from '../../delivery/sender/sender.ts';

export interface NotifyingParts {
  readonly pool: pg.Pool;
  /** Open however far reads are behind: what was sent is recorded. */
  readonly handling: Handling;
  readonly log: Log;
  readonly views: ViewsAt;
  readonly samples: SampleReader;
  readonly wake: Wake;
  readonly keyring: Keyring;
  readonly outside: Outside;
  /** There is a mail server. */
  readonly mailIsOn: boolean;
  /** The latest signed checkpoint of the seal. */
  readonly checkpoint: () => Promise<string | null>;
  readonly clock: Clock;
  readonly random: () => number;
  readonly report: (error: unknown) => void;
}

export interface Notifying {
  /** Writes down who is to be told of what happens. */
  readonly notifier: Notifier;
  /** Writes down who is to get a report. */
  readonly planner: ReportPlanner;
  /** Carries either to them. */
  readonly sender: Sender;
}

export function openNotifying(parts: NotifyingParts): Notifying {
  const { pool, handling, log, views, samples, keyring, outside, checkpoint, clock } = parts;
  const bundling = new Bundling(pool);
  const reader = new ReportReader({
    views,
    log,
    uptime: new UptimeReader(views, samples),
    responseTimes: new ResponseTimesReader(views, samples, new ClosedBooks(pool)),
    corrections: new CorrectionReader(views, log, pool),
    checkpoint,
    clock,
  });
  const addresses = new AddressBook(views, keyring);
  const messages = new MessageReader(bundling, views, new EarlierSettings(addresses, views, log));
  const couriers = {
    alert: new AlertCourier({ bundling, messages, views, outside }),
    report: new ReportCourier({ bundling, reader, views, outside }),
  };
  const sender = new Sender({
    ...parts,
    deliveries: new DeliveryStore(pool),
    bundling,
    couriers,
    addresses,
    record: new NotificationRecord(handling),
  });
  return { notifier: new Notifier(parts), planner: new ReportPlanner(parts), sender };
}
