import type { Schemas } from '../../client.ts';

export type ShownProjection = Schemas['Projection'];

/** Seconds behind the log from which a projection counts as late; below it, it is at work. */
const LATE_SECONDS = 60;

/** What needs an operator; null: nothing. */
export function projectionProblem({ state, error, parked, lag }: ShownProjection): string | null {
  if (state === 'failed') return `failed: ${error ?? 'the log of the service names the cause'}`;
  if (state === 'stopped') return 'is stopped: no instance runs its package';
  if (parked > 0) return `has ${String(parked)} parked ${parked === 1 ? 'key' : 'keys'}`;
  if (state === 'paused') return 'is paused';
  return state === 'live' && lag >= LATE_SECONDS ? 'is late' : null;
}

/** The first line of the page. */
export function projectionsSentence(projections: readonly ShownProjection[]): string {
  const wrong = projections.filter((projection) => projectionProblem(projection) !== null);
  const [only] = wrong;
  const count = String(projections.length);
  if (only !== undefined && wrong.length === 1)
    return `1 of ${count} projections needs attention: ${only.name} ${projectionProblem(only) ?? ''}.`;
  if (wrong.length > 1) return `${String(wrong.length)} of ${count} projections need attention.`;
  const building = projections.filter(({ state }) => state === 'building').length;
  if (building > 0) return `${String(building)} of ${count} projections ${building === 1 ? 'is' : 'are'} being rebuilt.`;
  return `All ${count} projections are up to date.`;
}
