import type { Schemas } from '../../client.ts';

export type ShownProjection = Schemas['Projection'];
export type ShownConsumer = Schemas['Consumer'];

/** Seconds behind the log from which a reader counts as late; below it, it is at work. */
const LATE_SECONDS = 60;
const FAILED = 'the log of the service names the cause';

/** What needs an operator; null: nothing. */
export function projectionProblem({ state, error, parked, lag }: ShownProjection): string | null {
  if (state === 'failed') return `failed: ${error ?? FAILED}`;
  if (state === 'stopped') return 'is stopped: no instance runs its package';
  if (parked > 0) return `has ${String(parked)} parked ${parked === 1 ? 'key' : 'keys'}`;
  if (state === 'paused') return 'is paused';
  return state === 'live' && lag >= LATE_SECONDS ? 'is late' : null;
}

/** What needs an operator; null: nothing. A pause comes first, because everything waits for its end. */
export function consumerProblem({ state, error, parked, lag }: ShownConsumer): string | null {
  if (state === 'failed') return `failed: ${error ?? FAILED}`;
  if (state === 'stopped') return 'is stopped: no instance runs it';
  if (state === 'paused') return 'is paused';
  if (parked > 0) return `has ${String(parked)} parked ${parked === 1 ? 'partition' : 'partitions'}`;
  return lag >= LATE_SECONDS ? 'is late' : null;
}

/** The first line of the page. */
export function readersSentence(projections: readonly ShownProjection[], consumers: readonly ShownConsumer[]): string {
  const problems = [
    ...projections.map((one) => [one.name, projectionProblem(one)] as const),
    ...consumers.map((one) => [one.name, consumerProblem(one)] as const),
  ].filter(([, problem]) => problem !== null);
  const [only] = problems;
  const all = `${String(projections.length)} projections and ${String(consumers.length)} ${consumers.length === 1 ? 'consumer' : 'consumers'}`;
  if (only !== undefined && problems.length === 1) return `1 of ${all} needs attention: ${only[0]} ${only[1] ?? ''}.`;
  if (problems.length > 1) return `${String(problems.length)} of ${all} need attention.`;
  const building = projections.filter(({ state }) => state === 'building').length;
  if (building > 0)
    return `${String(building)} of ${String(projections.length)} projections ${building === 1 ? 'is' : 'are'} being rebuilt.`;
  return `All ${all} are up to date.`;
}
