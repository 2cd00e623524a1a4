import { systemClock } from '../kernel/clock.ts';
import { LeasedLoop } from '../platform/postgres/leased-loop.ts';
import { StatusDrafts } from './drafts/status-drafts.ts';
import type { Parts } from '../app/parts.ts';

/** Drafts incidents of status pages, in one instance at a time. */
export function statusDraftsLoop(parts: Parts): LeasedLoop {
  const report = (error: unknown): void => {
    parts.logger.warn({ err: error }, 'drafting incidents of status pages failed; trying again');
  };
  // A new one for each term of the lease: its checkpoint is read again.
  const work = (signal: AbortSignal): Promise<void> => new StatusDrafts({ ...parts, clock: systemClock }).work(signal);
  return new LeasedLoop({ name: 'status drafts', leases: parts.leases, work, report });
}
