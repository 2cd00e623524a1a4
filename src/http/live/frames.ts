import { certificateEvents } from '../../domain/certificate/certificate.events.ts';
import { correctionEvents } from '../../domain/check/correction.events.ts';
import { redirectEvents } from '../../domain/redirect/redirect.events.ts';
import { uptimeEvents } from '../../domain/uptime/uptime.events.ts';
import { verdictEvents } from '../../domain/verdict/verdict.events.ts';
import type { RunStore } from '../../observations/runs/run-store.ts';
import type { PresentedEvent } from '../history/event.presenter.ts';

export type Run = Awaited<ReturnType<RunStore['between']>>[number];

/** What a stream tells of the log: how checks, uptime, certificate and redirect stand, and what should have been said of them. */
export const liveTypes: readonly string[] = Object.keys({
  ...verdictEvents,
  ...correctionEvents,
  ...uptimeEvents,
  ...certificateEvents,
  ...redirectEvents,
});

/** Server-sent events, as the HTML standard has them. JSON holds no line break. */
export const eventFrame = (event: PresentedEvent): string => `id: ${event.id}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;

/** Without an id: where to go on is a place in the log, and a measurement has none. */
export function resultFrame({ checkId, outcome, at, total, httpStatus, failures, confirming, jobId }: Run): string {
  const result = {
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

export const commentFrame = ': still here\n\n';

/** The first thing that a client hears; after a cut it comes again so soon. */
export const openingFrame = 'retry: 2000\n\n';
