import type { FaultOrders } from './service-instance.ts';
import type { CrashPoint } from './crash-points.ts';
import type { FaultWorld } from './fault-world.ts';

export const CRASH_POINT_TIMEOUT_MS = 30_000;

/** Before the statement is sent, or while it is on its way, or just after. */
export const crashOrder = (texts: readonly string[], random: () => number, skip = 0): Required<FaultOrders>['dieAt'] => ({
  texts,
  skip,
  afterMs: random() < 0.3 ? null : Math.floor(random() * 12),
});

/** Kills the service at a chosen statement of its own work. */
export async function crashAt(world: FaultWorld, { texts, quiet }: CrashPoint, random: () => number): Promise<void> {
  await world.killed(async () => {
    world.service.obey({ dieAt: crashOrder(texts, random, quiet ? 0 : Math.floor(random() * 3)) });
    const died = world.dieAsOrdered(CRASH_POINT_TIMEOUT_MS);
    if (quiet) await world.pace.hush(died);
    await died;
  });
  await world.restart();
}
