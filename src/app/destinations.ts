import { PauseDestination } from '../streams/destinations/destination.commands.ts';
import { systemContext } from '../platform/commands/context.ts';
import type { Config } from '../platform/config/config.ts';
import { openTransports } from '../alerts/channels/transports.ts';
import type { EventPresenter } from '../streams/destinations/batch.ts';
import { DestinationPusher } from '../streams/destinations/destination-pusher.ts';
import { PushStore } from '../streams/destinations/push-store.ts';
import { cloudEventOf } from '../history/feed/cloud-event.ts';
import { NamesReader } from '../history/names-reader.ts';
import { presentEvents } from '../history/present-events.ts';
import { systemClock } from '../kernel/clock.ts';
import { GrowthProofs } from '../proof/seal/seal-growth.ts';
import { LeasedLoop } from '../platform/postgres/leased-loop.ts';
import { DestinationMetrics } from '../streams/destinations/destination-metrics.ts';
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
