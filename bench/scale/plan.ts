import { createHash } from 'node:crypto';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { areaTurns } from '../../src/checker/checks/area-turns.ts';
import { certificateTurns } from '../../src/watches/turns/certificate-watch.ts';
import { homepageTurns } from '../../src/watches/turns/open-watches.ts';
import { redirectTurns } from '../../src/watches/turns/redirect-watch.ts';
import { uptimeTurns } from '../../src/watches/turns/uptime-watch.ts';
import { WatchedProjects } from '../../src/checker/projects/watched-projects.ts';
import { Scheduler } from '../../src/checker/schedule/scheduler.ts';
import { publicArea } from '../../src/projects/areas/area.settings.ts';
import { linkCheck } from '../../src/projects/checks/preset.ts';
import { shardOf } from '../../src/platform/observations/shards.ts';
import { projectSettings } from '../../test/support/project-settings.ts';

setFlagsFromString('--expose_gc');
const collect = runInNewContext('gc') as () => void;
const CHECKS = 5;

const parsed = <Value>(value: Value): Value => JSON.parse(JSON.stringify(value)) as Value;

/** Megabytes of the projects that a checker holds, with their checks and their turns. */
export function planOfOneChecker(sites: number): number {
  collect();
  const before = process.memoryUsage().heapUsed;
  const projects = new WatchedProjects();
  const scheduler = new Scheduler(projects, [areaTurns, uptimeTurns, certificateTurns, redirectTurns, homepageTurns]);
  const ids: string[] = [];
  const idOf = (what: string, nth: number): string =>
    createHash('sha256')
      .update(`${what} ${String(nth)}`)
      .digest('hex')
      .slice(0, 24);
  for (let nth = 0; nth < sites; nth++) {
    const id = idOf('project', nth);
    // Parsed, as if read from the database: nothing is shared between two rows.
    projects.putProject({
      ...{ id, payerId: nth, preset: false, isWordPress: false, invitations: [], transfer: null, status: 'ok' },
      settings: parsed({ ...projectSettings, uptimePeriod: '15', url: `https://site-${String(nth)}.example/` }),
      apiKey: { subject: `project-${id}`, sealed: id.repeat(4) },
      createdAt: new Date(nth).toISOString(),
      members: [{ userId: nth, role: '4' }],
    });
    const areaId = idOf('area', nth);
    projects.putArea({
      id: areaId,
      projectId: id,
      settings: parsed(publicArea),
      foundChecksum: null,
      firstChecksum: null,
      order: nth,
    });
    for (let check = 0; check < CHECKS; check++)
      projects.putCheck({
        ...{ id: idOf(`check ${String(check)}`, nth), projectId: id, areaId, order: nth + check },
        settings: parsed(linkCheck(`Page ${String(check)}`, `/page-${String(check)}`)),
      });
    ids.push(id);
  }
  for (const id of ids) scheduler.shardTaken(shardOf(projectSettings.location, id), [id], Date.now());
  collect();
  const spent = (process.memoryUsage().heapUsed - before) / 1e6;
  // In use until here.
  return scheduler.plannedTurns > 0 ? spent : NaN;
}
