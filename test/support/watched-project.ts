import type { CheckerContext } from '../../src/checker/checker.ts';
import type { WatchedProject } from '../../src/checker/projects/watched-projects.ts';
import type { TurnKey } from '../../src/checker/schedule/turn.ts';

/** Project `p`, with a certificate and a redirect to watch. */
export const watchedProject = (settings: object = {}): WatchedProject =>
  ({
    project: {
      id: 'p',
      settings: {
        url: 'https://site.example/shop',
        userAgent: 'x',
        location: 'eu',
        sslAlertPeriod: 14,
        httpsRedirectEnabled: true,
        ...settings,
      },
    },
  }) as unknown as WatchedProject;

/** A checker of that one project, and the extra turns that are scheduled on it. */
export function checkerOf(watched: () => WatchedProject): {
  readonly checker: CheckerContext;
  readonly scheduled: (readonly [turn: TurnKey, due: number])[];
} {
  const scheduled: (readonly [TurnKey, number])[] = [];
  const checker: CheckerContext = {
    projects: { get: watched },
    leaseOf: () => undefined,
    canDecide: () => true,
    scheduleOnce: (turn, due) => scheduled.push([turn, due]),
  };
  return { checker, scheduled };
}
