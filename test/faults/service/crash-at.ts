import type { Orders } from './service-instance.ts';
import type { Moment } from './crash-points.ts';
import type { World } from './fault-world.ts';

export const COMES_MS = 30_000;

/** Before the statement is sent, or while it is on its way, or just after. */
export const deathAt = (texts: readonly string[], random: () => number, skip = 0): Required<Orders>['dieAt'] => ({
  texts,
  skip,
  afterMs: random() < 0.3 ? null : Math.floor(random() * 12),
});

/** The service dies at a moment of its own work. */
export async function strikeAt(world: World, { texts, quiet }: Moment, random: () => number): Promise<void> {
  await world.killed(async () => {
    world.service.obey({ dieAt: deathAt(texts, random, quiet ? 0 : Math.floor(random() * 3)) });
    const died = world.dieAsOrdered(COMES_MS);
    if (quiet) await world.pace.hush(died);
    await died;
  });
  await world.restart();
}
