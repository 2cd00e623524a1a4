import { TRANSPORTS } from '../alerts/channels/transports.ts';
import type { Transports } from '../alerts/channels/channel.ts';
import { cloudEventOf } from '../history/feed/cloud-event.ts';
import { NamesReader } from '../history/names-reader.ts';
import { presentEvents } from '../history/present-events.ts';
import { systemClock } from '../kernel/clock.ts';
import { systemContext } from '../platform/commands/context.ts';
import type { Config } from '../platform/config/config.ts';
import { type LoopParts, reportRetry } from '../platform/consumers/consumer-loops.ts';
import { LeasedLoop } from '../platform/postgres/leased-loop.ts';
import type { Metrics } from '../platform/telemetry/metrics/metrics.ts';
import type { EventPresenter } from './destinations/batch.ts';
import { DestinationMetrics } from './destinations/destination-metrics.ts';
import { DestinationPusher, type DestinationPusherParts } from './destinations/destination-pusher.ts';
import { PauseDestination } from './destinations/destination.commands.ts';
import { PushStore } from './destinations/push-store.ts';

const DESTINATIONS = 'destinations';

interface StreamLoopParts extends LoopParts, Pick<DestinationPusherParts, 'log' | 'views' | 'keyring' | 'seal'> {
  readonly commands: { execute(command: PauseDestination): Promise<unknown> };
  readonly metrics: Metrics;
}

/** Pushes events to destinations, in one instance at a time. */
export function streamLoops(config: Config, parts: StreamLoopParts): readonly LeasedLoop[] {
  const { leases, logger, commands, metrics } = parts;
  const report = reportRetry(logger, 'pushing events to destinations failed');
  const now = (): number => systemClock.now();
  const meter = new DestinationMetrics(metrics, () => parts.get(PushStore).status());
  const presenter = eventPresenter(config, parts);
  const open = (): DestinationPusher =>
    new DestinationPusher({
      ...parts,
      store: parts.get(PushStore),
      transports: parts.get<Transports>(TRANSPORTS),
      presenter,
      meter,
      now,
      random: Math.random,
      report,
      pause: async ({ id, owner }, reason) => {
        const context = systemContext({ kind: 'reactor', id: DESTINATIONS }, now());
        await commands.execute(new PauseDestination(context, { owner, destinationId: id, reason }));
      },
    });
  // A new one for each term of the lease: what it holds in memory is of the log as of its beginning.
  return [new LeasedLoop({ name: DESTINATIONS, leases, work: (signal) => open().work(signal), report })];
}

function eventPresenter({ publicUrl, port }: Config, { get }: LoopParts): EventPresenter {
  const names = get(NamesReader);
  const baseUrl = `${publicUrl ?? `http://localhost:${String(port)}`}/api`;
  return {
    baseUrl,
    present: async (events) => (await presentEvents(names, events)).map((event) => cloudEventOf(event, baseUrl)),
  };
}
