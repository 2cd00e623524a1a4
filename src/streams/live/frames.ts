import { certificateEvents } from '../../watches/certificate/certificate.events.ts';
import { correctionEvents } from '../../checker/corrections/correction.events.ts';
import { redirectEvents } from '../../watches/redirect/redirect.events.ts';
import { uptimeEvents } from '../../watches/uptime/uptime.events.ts';
import { verdictEvents } from '../../checker/verdicts/verdict.events.ts';
import type { RunStore } from '../../platform/observations/runs/run-store.ts';
import type { PresentedEvent } from '../../history/event.presenter.ts';
import type { LiveResult } from './live.api.ts';

export type LiveRun = Awaited<ReturnType<RunStore['between']>>[number];

/** The event types of a live stream: state changes of checks, uptime, certificate and redirect, and corrections. */
export const liveTypes: readonly string[] = Object.keys({
  ...verdictEvents,
  ...correctionEvents,
  ...uptimeEvents,
  ...certificateEvents,
  ...redirectEvents,
});

/** Server-sent events (HTML standard); JSON contains no line breaks. */
export const eventFrame = (event: PresentedEvent): string => `id: ${event.id}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;

/** Without an id, because a client resumes at a log position, which measurements do not have. */
export function resultFrame({ checkId, outcome, at, total, httpStatus, failures, confirming, jobId }: LiveRun): string {
  const result: LiveResult = {
    testId: checkId,
    status: outcome,
    failures,
    httpStatus,
    startedAt: Math.floor(at / 1000),
    duration: total / 1000,
    confirming,
    jobId,
  };
  return `event: result\ndata: ${JSON.stringify(result)}\n\n`;
}
