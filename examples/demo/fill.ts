import 'reflect-metadata';
import { join } from 'node:path';
import { CheckHistory } from './check-history.ts';
import { byInstant, DAY, HOUR } from './happening.ts';
import { Installation } from './installation.ts';
import { outagesOf, storyOf } from './telling.ts';
import { type Fault, openSites } from './sites.ts';
import { watchSites } from './set-up.ts';
import { UptimeHistory } from './uptime-history.ts';

/** As long as the service keeps samples by default. */
const KEPT_DAYS = 90;

const days = Number(process.argv[2] ?? '365');
const end = Date.now();
const start = Math.floor(end / DAY - days) * DAY + 9 * HOUR;

const faults = new Map<string, Fault>();
const pages = await openSites(join(process.env['DATA_DIR'] ?? '', 'sites'), faults);
const installation = await Installation.open(start);
const checks = new CheckHistory(installation, pages.authority);
const watched = await watchSites(installation, { start, outages: (site) => outagesOf(site, start, end) });
const uptime = new UptimeHistory(installation, {
  database: installation.databaseUrl,
  sites: Object.values(watched.sites),
  keptFrom: end - KEPT_DAYS * DAY,
  until: end,
});
const story = storyOf({ installation, checks, faults, watched, start, end });

for await (const { day, happenings } of uptime.days(Math.floor(start / DAY) * DAY)) {
  const ofStory = story.filter(({ at }) => at >= Math.max(day, start) && at < Math.min(day + DAY, end));
  for (const [at, acts] of byInstant([...ofStory, ...happenings])) {
    await installation.past.goTo(at);
    await Promise.all(acts.map((act) => act()));
  }
  if (new Date(day).getUTCDate() === 1) process.stderr.write(`watchledger: ${new Date(day).toISOString().slice(0, 7)} ...\n`);
}
await uptime.close();
await checks.close();
await installation.close();
pages.close();
