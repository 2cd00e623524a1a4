import { beforeEach, describe, expect, it } from '@jest/globals';
import { checkerOf, watchedProject } from '../../../test/support/watched-project.ts';
import { lastOccurrence, type Recurrence } from '../../kernel/recurrence.ts';
import type { Inspection, InspectionStore } from '../../observations/inspections/inspection-store.ts';
import type { CertificateRow } from '../../projections/read-models/certificate/certificate.view.ts';
import type { RedirectRow } from '../../projections/read-models/redirect/redirect.view.ts';
import type { ProjectPlan } from '../plan/plan.ts';
import { CertificateWatch, turnsOfCertificate } from './certificate-watch.ts';
import type { LookOptions } from './look.ts';
import { RedirectWatch, turnsOfRedirect } from './redirect-watch.ts';

const DAY = 86_400_000;
const NOW = Date.UTC(2026, 0, 1);
const options = { clock: { now: () => NOW } } as unknown as LookOptions;
const unasked = {} as unknown as InspectionStore;

let plan: ProjectPlan;
beforeEach(() => {
  plan = watchedProject();
});

describe('what a checker before this one left', () => {
  const url = 'https://site.example/shop';
  const lastLook = (changes: Partial<Inspection> = {}): Inspection => ({
    projectId: 'p',
    kind: 'certificate',
    at: NOW,
    url,
    finalUrl: null,
    ...changes,
  });
  const dailyAt = (): number => lastOccurrence(turnsOfCertificate(plan)[0] as Recurrence, NOW);

  describe('at a certificate', () => {
    const { checker, planned } = checkerOf(() => plan);
    const known = (validTo: number, host = 'site.example'): CertificateRow => ({
      certificate: { host, port: 443, fingerprint: 'aa', validFrom: '', validTo: new Date(validTo).toISOString(), problem: null },
      failure: null,
      seenAt: null,
    });
    const isOwed = (row: CertificateRow | undefined, last: Inspection | undefined): boolean =>
      new CertificateWatch(options, unasked).takeOver(checker, plan, row, last);

    it('is a look when the daily one was missed, or nobody looked where the project leads now', () => {
      const row = known(NOW + 90 * DAY);
      expect(isOwed(row, lastLook({ at: dailyAt() }))).toBe(false);
      expect(isOwed(row, lastLook({ at: dailyAt() - 1 }))).toBe(true);
      expect(isOwed(row, lastLook({ url: 'https://site.example/' }))).toBe(true);
      expect(isOwed(undefined, undefined)).toBe(true);
      expect(isOwed(undefined, lastLook())).toBe(false);
      plan = watchedProject({ url: 'http://site.example' });
      expect(isOwed(undefined, undefined)).toBe(false);
    });

    it('is the look at the very moment when something begins, whether that is still to come or came while nobody was there', () => {
      expect(isOwed(known(NOW + DAY), lastLook())).toBe(false);
      expect(planned).toEqual([['certificate', 'p', 'look', NOW + DAY + 1000]]);
      const since = lastLook({ at: Math.max(dailyAt(), NOW - 1_000) });
      expect(isOwed(known(NOW - 500), since)).toBe(true);
      expect(isOwed(known(NOW + 15 * DAY - 500), since)).toBe(true);
      expect(isOwed(known(NOW + 15 * DAY - 500), lastLook())).toBe(false);
      expect(isOwed(known(NOW - 500, 'elsewhere.example'), since)).toBe(false);
    });
  });

  describe('at a redirect', () => {
    const target = 'http://site.example/shop';
    const row = (status: RedirectRow['status']): RedirectRow => ({ status, url: target, finalUrl: null, since: '' });
    const last = (changes: Partial<Inspection> = {}): Inspection => lastLook({ kind: 'redirect', url: target, finalUrl: url, ...changes });
    const isOwed = (known: RedirectRow | undefined, look: Inspection | undefined): boolean =>
      new RedirectWatch(options, unasked).takeOver(plan, known, look);

    it('is a look when the hourly one was missed, or nobody looked where the project leads now', () => {
      const hourly = lastOccurrence(turnsOfRedirect(plan)[0] as Recurrence, NOW);
      expect(isOwed(row('ok'), last({ at: hourly }))).toBe(false);
      expect(isOwed(row('ok'), last({ at: hourly - 1 }))).toBe(true);
      expect(isOwed(row('ok'), last({ url: 'http://site.example/' }))).toBe(true);
      expect(isOwed(row('ok'), undefined)).toBe(true);
      plan = watchedProject({ httpsRedirectEnabled: false });
      expect(isOwed(undefined, undefined)).toBe(false);
    });

    it('is also what the last look meant and nobody wrote down', () => {
      expect(isOwed(undefined, last())).toBe(true);
      expect(isOwed(row('failed'), last())).toBe(true);
      expect(isOwed(row('ok'), last({ finalUrl: null }))).toBe(true);
      expect(isOwed(row('unreachable'), last({ finalUrl: null }))).toBe(false);
    });
  });
});
