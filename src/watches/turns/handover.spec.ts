import { beforeEach, describe, expect, it } from '@jest/globals';
import { checkerOf, watchedProject } from '../../../test/support/watched-project.ts';
import { lastOccurrence, type Recurrence } from '../../kernel/recurrence.ts';
import type { Inspection, InspectionStore } from '../../platform/observations/inspections/inspection-store.ts';
import type { CertificateRow } from '../certificate/certificate.view.ts';
import type { RedirectRow } from '../redirect/redirect.view.ts';
import type { WatchedProject } from '../../checker/projects/watched-projects.ts';
import { CertificateWatch, certificateTurns } from './certificate-watch.ts';
import { siteTurn, type WatchOptions } from './site-look.ts';
import { RedirectWatch, redirectTurns } from './redirect-watch.ts';

const DAY = 86_400_000;
const NOW = Date.UTC(2026, 0, 1);
const { checker, scheduled } = checkerOf(() => watched);
const options = { checker, clock: { now: () => NOW } } as unknown as WatchOptions;
const unusedStore = {} as unknown as InspectionStore;

let watched: WatchedProject;
beforeEach(() => {
  watched = watchedProject();
});

describe('a shard handover', () => {
  const url = 'https://site.example/shop';
  const lastLook = (changes: Partial<Inspection> = {}): Inspection => ({
    projectId: 'p',
    kind: 'certificate',
    at: NOW,
    url,
    finalUrl: null,
    ...changes,
  });
  const dailyAt = (): number => lastOccurrence(certificateTurns(watched)[0] as Recurrence, NOW);

  describe('of a certificate watch', () => {
    const known = (validTo: number, host = 'site.example'): CertificateRow => ({
      certificate: { host, port: 443, fingerprint: 'aa', validFrom: '', validTo: new Date(validTo).toISOString(), problem: null },
      failure: null,
      seenAt: null,
    });
    const isDue = (row: CertificateRow | undefined, last: Inspection | undefined): boolean =>
      new CertificateWatch(options, unusedStore).resume(watched, row, last);

    it('makes up a missed daily look, and a look at a changed URL', () => {
      const row = known(NOW + 90 * DAY);
      expect(isDue(row, lastLook({ at: dailyAt() }))).toBe(false);
      expect(isDue(row, lastLook({ at: dailyAt() - 1 }))).toBe(true);
      expect(isDue(row, lastLook({ url: 'https://site.example/' }))).toBe(true);
      expect(isDue(undefined, undefined)).toBe(true);
      expect(isDue(undefined, lastLook())).toBe(false);
      watched = watchedProject({ url: 'http://site.example' });
      expect(isDue(undefined, undefined)).toBe(false);
    });

    it('schedules the next turning point, and makes up a missed one', () => {
      expect(isDue(known(NOW + DAY), lastLook())).toBe(false);
      expect(scheduled).toEqual([[siteTurn('certificate', 'p'), NOW + DAY + 1000]]);
      const since = lastLook({ at: Math.max(dailyAt(), NOW - 1_000) });
      expect(isDue(known(NOW - 500), since)).toBe(true);
      expect(isDue(known(NOW + 15 * DAY - 500), since)).toBe(true);
      expect(isDue(known(NOW + 15 * DAY - 500), lastLook())).toBe(false);
      expect(isDue(known(NOW - 500, 'elsewhere.example'), since)).toBe(false);
    });
  });

  describe('of a redirect watch', () => {
    const target = 'http://site.example/shop';
    const row = (status: RedirectRow['status']): RedirectRow => ({ status, url: target, finalUrl: null, since: '' });
    const last = (changes: Partial<Inspection> = {}): Inspection => lastLook({ kind: 'redirect', url: target, finalUrl: url, ...changes });
    const isDue = (known: RedirectRow | undefined, look: Inspection | undefined): boolean =>
      new RedirectWatch(options, unusedStore).isLookDue(watched, known, look);

    it('makes up a missed hourly look, and a look at a changed URL', () => {
      const hourly = lastOccurrence(redirectTurns(watched)[0] as Recurrence, NOW);
      expect(isDue(row('ok'), last({ at: hourly }))).toBe(false);
      expect(isDue(row('ok'), last({ at: hourly - 1 }))).toBe(true);
      expect(isDue(row('ok'), last({ url: 'http://site.example/' }))).toBe(true);
      expect(isDue(row('ok'), undefined)).toBe(true);
      watched = watchedProject({ httpsRedirectEnabled: false });
      expect(isDue(undefined, undefined)).toBe(false);
    });

    it('repeats a look whose result was stored but not recorded', () => {
      expect(isDue(undefined, last())).toBe(true);
      expect(isDue(row('failed'), last())).toBe(true);
      expect(isDue(row('ok'), last({ finalUrl: null }))).toBe(true);
      expect(isDue(row('unreachable'), last({ finalUrl: null }))).toBe(false);
    });
  });
});
