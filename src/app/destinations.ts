import { PauseDestination } from '../commands/destination.commands.ts';
import { systemContext } from '../commands/context.ts';
import type { Config } from '../config.ts';
import { openTransports } from '../delivery/channels/transports.ts';
import type { EventPresenter } from '../delivery/destinations/batch.ts';
import { DestinationPusher } from '../delivery/destinations/destination-pusher.ts';
import { PushStore } from '../delivery/destinations/push-store.ts';
import { cloudEventOf } from '../http/history/feed/cloud-event.ts';
import { NamesReader } from '../http/history/names-reader.ts';
import { presentEvents } from '../http/history/present-events.ts';
import { systemClock } from '../kernel/clock.ts';
import { GrowthProofs } from '../ledger/seal-growth.ts';
import { LeasedLoop } from '../persistence/leased-loop.ts';
import { DestinationMetrics } from '../telemetry/metrics/destination-metrics.ts';
import type { Parts } from './parts.ts';

const NAME = 'destinations';

/** Pushes events to destinations, in one instance at a time. */
export function destinationsLoop(config: Config, parts: Parts): LeasedLoop {
  const { pool, leases, logger, commands, seal, metrics } = parts;
  const report = (error: unknown): void => {
    logger.warn({ err: error }, 'pushing events to destinations failed; trying again');
  };
  const now = (): number => systemClock.now();
  const meter = new DestinationMetrics(metrics, () => new PushStore(pool).status());
  const presenter = eventPresenter(config, parts);
  const proofs = new GrowthProofs(seal.ledger);
  const open = (): DestinationPusher =>
    new DestinationPusher({
      ...parts,
      ...{ transports: openTransports({ ...parts, config }), presenter, seal: proofs, meter, now, random: Math.random, report },
      pause: ({ id, owner }, reason) =>
        commands.execute(new PauseDestination(systemContext({ kind: 'reactor', id: NAME }, now()), owner, id, reason)),
    });
  // A new one for each term of the lease: what it holds in memory is of the log as of its beginning.
  return new LeasedLoop({ name: NAME, leases, work: (signal) => open().work(signal), report });
}

function eventPresenter({ publicUrl, port }: Config, { views, keyring }: Parts): EventPresenter {
  const names = new NamesReader(views, keyring);
  const baseUrl = `${publicUrl ?? `http://localhost:${String(port)}`}/api`;
  return {
    baseUrl,
    present: async (events) => (await presentEvents(names, events)).map((event) => cloudEventOf(event, baseUrl)),
  };
}
