import type { ParkedKey, ProjectionStatus } from '../../projections/admin/projection-admin.ts';
import { bar } from '../progress.ts';

/** `terminal`: shows a progress bar instead of two numbers. */
export function lineOf(status: ProjectionStatus, terminal: boolean): string {
  const { name, version, state, position, head, gap, lag, parked, ...more } = status;
  const { done, total, etaSeconds, error } = more;
  const filled =
    done === undefined || total === undefined ? '' : `${terminal ? `${bar(done, total)} ` : ''}${String(done)} of ${String(total)}`;
  const left = etaSeconds === undefined ? '' : `${String(etaSeconds)} s left`;
  return [
    name.padEnd(20),
    `version ${version}`,
    state.padEnd(8),
    `at ${String(position)} of ${String(head)}`,
    `gap ${String(gap)}`,
    `lag ${lag.toFixed(1)} s`,
    parked === 0 ? '' : `${String(parked)} parked`,
    filled,
    left,
    error ?? '',
  ]
    .filter((part) => part !== '')
    .join('  ')
    .trimEnd();
}

export const lineOfParked = ({ eventId, n, type, key, attempts, error }: ParkedKey): string =>
  `${eventId}  at ${String(n)}  ${type}  ${key}  tried ${String(attempts)} times: ${error}`;
