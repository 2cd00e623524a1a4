import { createHash } from 'node:crypto';
import { ChangeCheck } from '../../src/projects/checks/check.commands.ts';
import { ChangeIncident } from '../../src/status-pages/incident.commands.ts';
import { ScheduleMaintenance } from '../../src/projects/maintenance/maintenance.commands.ts';
import { SetObjective } from '../../src/projects/objectives/objective.commands.ts';
import { noObjective } from '../../src/projects/objectives/objective.settings.ts';
import { RecordCertificateLook } from '../../src/watches/observation.commands.ts';
import { ChangeSettings } from '../../src/projects/project.commands.ts';
import { CreateStatusPage } from '../../src/status-pages/status-page.commands.ts';
import { draftsOnly, noColors } from '../../src/status-pages/status-page.settings.ts';
import type { CheckHistory } from './check-history.ts';
import { DAY, type Happening, HOUR, MINUTE } from './happening.ts';
import type { Installation } from './installation.ts';
import { type Outage, randomOutages, unavailable } from './outages.ts';
import { actorOf, type Watched } from './set-up.ts';
import { type Fault, HOST, PORTS } from './sites.ts';
import { afterwards, failure, maintenance, present, type SiteKey, sites, troubles } from './story.ts';

export interface Telling {
  readonly installation: Installation;
  readonly checks: CheckHistory;
  readonly faults: Map<string, Fault>;
  readonly watched: Watched;
  readonly start: number;
  readonly end: number;
}

/** The UTC midnight so many days ago. */
const midnight = (end: number, daysAgo: number): number => (Math.floor(end / DAY) - daysAgo) * DAY;

function maintenanceWindows(start: number, end: number): readonly { readonly from: number; readonly to: number }[] {
  const windows: { from: number; to: number }[] = [];
  for (let daysAgo = 6; midnight(end, daysAgo) > start + 5 * DAY; daysAgo += maintenance.everyDays) {
    const from = midnight(end, daysAgo) + maintenance.hour * HOUR;
    windows.push({ from, to: from + maintenance.minutes * MINUTE });
  }
  return windows;
}

/** When a site did not answer: at random, in maintenance, and with the others of its machine room. */
export function outagesOf(site: SiteKey, start: number, end: number): readonly Outage[] {
  const seed = 1_009 + Object.keys(sites).indexOf(site) * 97;
  const outages = [...randomOutages(start, end, sites[site].outagesPerYear, seed)];
  if ((maintenance.sites as readonly SiteKey[]).includes(site))
    for (const { from } of maintenanceWindows(start, end)) outages.push(unavailable(from + 6 * MINUTE, maintenance.downMinutes * MINUTE));
  if ((failure.sites as readonly SiteKey[]).includes(site))
    outages.push(unavailable(midnight(end, failure.daysAgo) + failure.hour * HOUR, failure.minutes * MINUTE));
  if (site === afterwards.site)
    outages.push(unavailable(midnight(end, afterwards.daysAgo) + afterwards.hour * HOUR, afterwards.minutes * MINUTE));
  return outages;
}

/** Everything but the probes, in no order. What would lie before the beginning is left out by the caller. */
export const storyOf = (telling: Telling): readonly Happening[] => [
  ...runs(telling),
  ...troublesOf(telling),
  ...wrongRule(telling),
  ...certificates(telling),
  ...settings(telling),
  ...maintenanceOf(telling),
  ...statusPage(telling),
];

/** The first run of every check, and one a day of the last month. */
function runs({ checks, watched, start, end }: Telling): readonly Happening[] {
  const happenings: Happening[] = [];
  for (const { projectId, from, checks: ofSite } of Object.values(watched.sites))
    for (const { checkId } of ofSite.values()) {
      const run = (at: number): void => void happenings.push({ at, act: () => checks.run(projectId, checkId) });
      run(from + 2 * MINUTE);
      for (let daysAgo = 30; daysAgo > 0; daysAgo--) if (midnight(end, daysAgo) > start + DAY) run(midnight(end, daysAgo) + 5 * HOUR);
    }
  return happenings;
}

/** The page is wrong, a second run confirms it, and later it is right again. */
function troublesOf({ checks, faults, watched, end }: Telling): readonly Happening[] {
  /** `lasts`: minutes; null: it is not over. */
  const troubleOf = (site: SiteKey, path: string, fault: Fault, from: number, lasts: number | null): readonly Happening[] => {
    const { projectId, checks: ofSite } = watched.sites[site];
    const checkId = ofSite.get(path)?.checkId ?? '';
    const run = (at: number, isWrong: boolean, confirming = false): Happening => ({
      at,
      act: async () => {
        if (isWrong) faults.set(path, fault);
        await checks.run(projectId, checkId, confirming);
        faults.delete(path);
      },
    });
    return [run(from, true), run(from + 12_000, true, true), ...(lasts === null ? [] : [run(from + lasts * MINUTE, false)])];
  };
  return [
    ...troubles.flatMap(({ site, path, fault, daysAgo, minutes }) =>
      troubleOf(site, path, fault, midnight(end, daysAgo) + (9 + (daysAgo % 9)) * HOUR + daysAgo * 1_317, minutes),
    ),
    ...troubleOf(present.site, present.path, present.fault, end - present.minutesAgo * MINUTE, null),
  ];
}

/** A developer expected another price, and took it back the next morning. */
function wrongRule({ installation, checks, watched, end }: Telling): readonly Happening[] {
  const { projectId, checks: ofSite } = watched.sites.shop;
  const { checkId, settings: right } = ofSite.get('/shop/shoes') ?? { checkId: '', settings: null };
  if (right === null) return [];
  const wrong = right.rules.map((rule) => (rule.type === 'text' ? { ...rule, op: 'sub' as const, val: '€ 119.00' } : rule));
  const changed = midnight(end, 24) + 15.6 * HOUR;
  const change = (at: number, rules: typeof right.rules): Happening => ({
    at,
    act: () =>
      installation.execute(new ChangeCheck(installation.context(actorOf(watched.users.ben)), { projectId, checkId, wanted: { rules } })),
  });
  const run = (at: number, confirming = false): Happening => ({ at, act: () => checks.run(projectId, checkId, confirming) });
  const mended = changed + 17 * HOUR;
  return [
    ...[change(changed, wrong), run(changed + 4 * MINUTE), run(changed + 4 * MINUTE + 12_000, true)],
    ...[change(mended, right.rules), run(mended + MINUTE)],
  ];
}

/** Renewed every sixty days, but once so late that the alert period had begun. */
function certificates({ installation, watched, start, end }: Telling): readonly Happening[] {
  const [lasts, renewed] = [90 * DAY, 60 * DAY];
  const happenings: Happening[] = [];
  const look = (at: number, { projectId, url, from }: Watched['sites'][SiteKey], issued: number): void => {
    const fingerprint = createHash('sha256')
      .update(`${projectId} ${String(issued)}`)
      .digest('hex');
    const certificate = {
      ...{ host: HOST, port: PORTS.https, fingerprint, subject: `CN=${HOST}`, issuer: 'CN=Test', serial: fingerprint.slice(0, 18) },
      ...{ names: [HOST], validFrom: new Date(issued).toISOString(), validTo: new Date(issued + lasts).toISOString() },
      ...{ problem: null, chain: [] },
    };
    happenings.push({
      at: Math.max(at, from),
      act: () =>
        installation.execute(
          new RecordCertificateLook(installation.context({ kind: 'checker', id: 'eu' }), {
            look: { kind: 'seen', certificate },
            origin: { projectId, url, location: 'eu', at: Date.now(), sslAlertPeriod: 14 },
          }),
        ),
    });
  };
  for (const [index, site] of Object.values(watched.sites).entries()) {
    if (!site.isHttps) continue;
    let issued = start - (10 + index * 9) * DAY;
    for (let nth = 0; issued < end; nth++) {
      look(issued + 40 * MINUTE, site, issued);
      const isLate = index === 1 && nth === 3;
      if (isLate) look(issued + lasts - 13 * DAY, site, issued);
      issued += isLate ? lasts - 9 * DAY : renewed;
    }
  }
  return happenings;
}

function settings({ installation, watched, start, end }: Telling): readonly Happening[] {
  const { users, sites: all } = watched;
  const change = (at: number, by: number, site: SiteKey, wanted: ChangeSettings['fields']['settings']): Happening => ({
    at,
    act: () =>
      installation.execute(new ChangeSettings(installation.context(actorOf(by)), { projectId: all[site].projectId, settings: wanted, by })),
  });
  const objective = (site: SiteKey, percent: number): Happening => ({
    at: start + 2 * DAY,
    act: () =>
      installation.execute(
        new SetObjective(installation.context(actorOf(users.ada)), {
          projectId: all[site].projectId,
          wanted: {
            ...noObjective,
            target: { percent, window: 'month' },
            credits: [
              { below: percent, percent: 5 },
              { below: percent - 0.5, percent: 10 },
            ],
          },
        }),
      ),
  });
  return [
    objective('shop', 99.9),
    objective('api', 99.95),
    change(midnight(end, 287) + 10 * HOUR, users.carla, 'blog', { timeout: 5 }),
    change(midnight(end, 190) + 8.4 * HOUR, users.ben, 'api', { title: 'Orders API v2' }),
    change(midnight(end, 58) + 13.1 * HOUR, users.ada, 'shop', { sslAlertPeriod: 21 }),
    change(midnight(end, 11) + 16.7 * HOUR, users.carla, 'blog', { period: '30 minutes' }),
  ];
}

function maintenanceOf({ installation, watched, start, end }: Telling): readonly Happening[] {
  const { users, sites: all } = watched;
  const schedule = (at: number, site: SiteKey, from: number, to: number, note: string): Happening => ({
    at,
    act: () =>
      installation.execute(
        new ScheduleMaintenance(installation.context(actorOf(users.ada)), {
          projectId: all[site].projectId,
          window: {
            from,
            to,
            offsetMinutes: 0,
            note,
            repeat: null,
          },
        }),
      ),
  });
  const began = midnight(end, afterwards.daysAgo) + afterwards.hour * HOUR;
  const next = midnight(end, -4) + maintenance.hour * HOUR;
  return [
    ...maintenanceWindows(start, end).flatMap(({ from, to }) =>
      maintenance.sites.map((site) => schedule(from - 3 * DAY, site, from, to, 'Monthly updates')),
    ),
    ...maintenance.sites.map((site) => schedule(end - HOUR, site, next, next + maintenance.minutes * MINUTE, 'Monthly updates')),
    schedule(began + 3 * HOUR, afterwards.site, began, began + afterwards.minutes * MINUTE, 'Power supply exchanged'),
  ];
}

/** The page for customers, and the incident of the machine room as its readers saw it. */
function statusPage({ installation, watched, start, end }: Telling): readonly Happening[] {
  const { users, sites: all } = watched;
  const context = () => installation.context(actorOf(users.ada));
  const item = (name: string, site: SiteKey) =>
    ({ name, kind: 'project', id: all[site].projectId, projectId: all[site].projectId }) as const;
  let pageId = '';
  let incidentId = '';
  const began = midnight(end, failure.daysAgo) + failure.hour * HOUR;
  const update = (minutes: number, state: 'identified' | 'monitoring' | 'resolved', text: string): Happening => ({
    at: began + minutes * MINUTE,
    act: () => installation.execute(new ChangeIncident(context(), { pageId, change: { kind: 'update', incidentId, state, text } })),
  });
  const words = {
    title: 'Shop, orders and sign-in do not answer',
    text: 'Since 14:12 UTC, pages of the shop cannot be reached. We are looking for the cause.',
    state: 'investigating',
    items: failure.sites.map((site) => all[site].projectId),
  } as const;
  const opens: Happening = {
    at: start + DAY,
    act: async () => {
      pageId = await installation.execute(
        new CreateStatusPage(context(), {
          by: users.ada,
          settings: {
            slug: 'alpine',
            title: 'Alpine Shop',
            access: 'public',
            languages: ['en', 'de', 'cs'],
            groups: [
              { name: 'Shopping', items: [item('Shop', 'shop'), item('Orders', 'api'), item('Sign-in', 'accounts')] },
              { name: 'Reading', items: [item('Blog', 'blog'), item('Documentation', 'docs')] },
            ],
            words: { about: 'What our customers use, measured every minute.', footer: '' },
            colors: noColors,
            automatic: draftsOnly,
          },
          password: null,
          most: 100,
        }),
      );
    },
  };
  return [
    opens,
    {
      at: began + 6 * MINUTE,
      act: async () => {
        incidentId = await installation.execute(new ChangeIncident(context(), { pageId, change: { kind: 'open', words } }));
      },
    },
    update(25, 'identified', 'A power supply in one machine room has failed. It is being exchanged.'),
    update(74, 'monitoring', 'All pages answer again. We keep watching.'),
    update(130, 'resolved', 'Everything has worked for an hour. No order was lost.'),
  ];
}
