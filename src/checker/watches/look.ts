import type { CommandBus } from '@nestjs/cqrs';
import type { Clock } from '../../kernel/clock.ts';
import type { Inspection } from '../../observations/inspections/inspection-store.ts';
import { hash32 } from '../../kernel/hash.ts';
import { lastOccurrence, type Recurrence } from '../../kernel/recurrence.ts';
import type { Carry, Checker } from '../checker.ts';
import type { FetchOutcome } from '../probe/outcome.ts';
import type { ProbeRequest } from '../probe/probe-request.ts';
import type { Prober } from '../probe/prober.ts';
import { type ConcurrencyLimit, QueueFull } from '../../kernel/concurrency-limit.ts';

/** What the looks share that come now and then: at a certificate, a redirect, a homepage. */
export interface LookOptions {
  readonly prober: Pick<Prober, 'fetch'>;
  readonly commands: Pick<CommandBus, 'execute'>;
  readonly clock: Clock;
  readonly atOnce: Pick<ConcurrencyLimit, 'run'>;
  readonly onOwnTrouble: (reason: string) => void;
}

/** In the key of a turn. */
export const LOOK = 'look';

const AGAIN_MS = 30_000;

/** Null: we could not look, which says nothing about the site. */
export async function lookAt(
  { prober, atOnce, onOwnTrouble }: LookOptions,
  request: ProbeRequest,
): Promise<Exclude<FetchOutcome, { readonly kind: 'inconclusive' }> | null> {
  const outcome = await nullIfQueueFull(atOnce.run(() => prober.fetch(request)));
  if (outcome === null) return null;
  if (outcome.kind !== 'inconclusive') return outcome;
  onOwnTrouble(outcome.reason);
  return null;
}

/** Backpressure is counted by the limit itself; the next turn tries again. */
export async function nullIfQueueFull<Result>(limited: Promise<Result>): Promise<Result | null> {
  try {
    return await limited;
  } catch (error) {
    if (error instanceof QueueFull) return null;
    throw error;
  }
}

/** A look that we owe does not wait for its next turn, which may be a day away; spread, because many are owed at once. */
export function lookAgainSoon(checker: Pick<Checker, 'once'>, kind: string, projectId: string, clock: Clock): void {
  checker.once(kind, projectId, LOOK, clock.now() + AGAIN_MS + (hash32(`${kind} ${projectId}`) % AGAIN_MS));
}

/** After the look that is under way. */
const MOVED_MS = 1_000;

/**
 * What we found and could not write down has to be found again; and of a project that moved meanwhile the look that its new site called for was passed
 * over, because this one was under way.
 */
export const insisting =
  (checker: Checker, kind: string, clock: Clock, carry: Carry): Carry =>
  async (turn, lease) => {
    const urlOf = (): string | undefined => checker.plans.plan.get(turn.projectId)?.project.settings.url;
    const url = urlOf();
    try {
      await carry(turn, lease);
      if (urlOf() !== url) checker.once(kind, turn.projectId, LOOK, clock.now() + MOVED_MS);
    } catch (error) {
      lookAgainSoon(checker, kind, turn.projectId, clock);
      throw error;
    }
  };

/** Its last turn came up while nobody held the shard, or who held it died over it; or nobody came to look where the project leads now. */
export const isOwed = (recurrence: Recurrence, url: string, last: Inspection | undefined, now: number): boolean =>
  last?.url !== url || last.at < lastOccurrence(recurrence, now);
