import type { Checker } from '../../src/checker/checker.ts';
import type { ProjectPlan } from '../../src/checker/plan/plan.ts';

/** Project `p`, with a certificate and a redirect to look at. */
export const watchedProject = (settings: object = {}): ProjectPlan =>
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
  }) as unknown as ProjectPlan;

/** A checker of that one project; `planned`: every extra turn. */
export function checkerOf(plan: () => ProjectPlan): { readonly checker: Checker; readonly planned: unknown[][] } {
  const planned: unknown[][] = [];
  const once = (...given: unknown[]): unknown => planned.push(given);
  return { checker: { plans: { plan: { get: plan } }, once } as unknown as Checker, planned };
}
