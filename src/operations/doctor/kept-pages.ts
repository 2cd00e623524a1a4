import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import type { Config } from '../../platform/config/config.ts';
import { keptBytesOf, pageBytesOf } from '../../platform/observations/pages/page-budget.ts';
import { type ObservationSchema, ObservationSchemas } from '../../platform/observations/schemas.ts';
import { reasonOf } from '../../kernel/system-error.ts';
import { openPageBodies } from '../../platform/observations/pages/open-page-bodies.ts';
import { type Diagnosis, fail, ok, warn } from './finding.ts';

const NAME = 'kept pages';
const PLACE = 'KEPT_PAGES';
const MB = 2 ** 20;
const DAY_HOURS = 24;
const YEAR_HOURS = 365 * DAY_HOURS;
const ADVISED_HOURS = 7 * DAY_HOURS;

export interface KeptPageFigures {
  readonly budgetBytes: number;
  readonly bytesLastHour: number;
}

/** How long the evidence of a failure stays at the rate of the last hour. */
export function keptPagesDiagnosis({ budgetBytes, bytesLastHour }: KeptPageFigures): Diagnosis {
  const budget = `${mb(budgetBytes)} MiB`;
  if (bytesLastHour === 0) return ok(NAME, `no page in the last hour, of a budget of ${budget}`);
  const hours = budgetBytes / bytesLastHour;
  const found = `a page is kept for ${spanOf(hours)} at the rate of the last hour (${mb(bytesLastHour)} MiB, of a budget of ${budget})`;
  return hours >= DAY_HOURS
    ? ok(NAME, found)
    : warn(NAME, found, `KEPT_PAGES_MB=${mb((bytesLastHour * ADVISED_HOURS) / pageBytesOf(1))} keeps it for a week`);
}

function spanOf(hours: number): string {
  if (hours > YEAR_HOURS) return 'more than a year';
  return `about ${hours >= 2 * DAY_HOURS ? `${String(Math.floor(hours / DAY_HOURS))} days` : `${String(Math.floor(hours))} h`}`;
}

/** Counts the projects with checks: how many there are, a database of observations alone does not know. */
export async function examineKeptPages(
  client: pg.Client,
  config: Pick<Config, 'keptPagesMb'>,
  schemas = new ObservationSchemas(1),
): Promise<readonly Diagnosis[]> {
  let [bytesLastHour, projects] = [0, 0];
  for (const schema of schemas.all) {
    const figures = await figuresIn(client, schema);
    if (figures === null) return [];
    bytesLastHour += figures.bytesLastHour;
    projects += figures.projects;
  }
  return [keptPagesDiagnosis({ budgetBytes: pageBytesOf(keptBytesOf(config.keptPagesMb, projects)), bytesLastHour })];
}

/** Null before the first start. */
async function figuresIn(
  client: pg.Client,
  schema: ObservationSchema,
): Promise<{ readonly bytesLastHour: number; readonly projects: number } | null> {
  const pages = schema.table('kept_page');
  const { rows: there } = await client.query<{ there: boolean }>('SELECT to_regclass($1) IS NOT NULL AS there', [pages]);
  if (there[0]?.there !== true) return null;
  const { rows } = await client.query<{ bytesLastHour: number; projects: number }>(
    `SELECT coalesce(sum(coalesce(stored, octet_length(packed))), 0)::float8 AS "bytesLastHour",
       (SELECT count(DISTINCT project_id)::int FROM ${schema.table('latest_run')}) AS projects
     FROM ${pages} WHERE kept_at > clock_timestamp() - interval '1 hour'`,
  );
  return rows[0] ?? null;
}

/** Whether the folder or the object store of `KEPT_PAGES` takes an object, returns it and deletes it. */
export async function examinePagePlace({ pagePlace }: Pick<Config, 'pagePlace'>): Promise<readonly Diagnosis[]> {
  const bodies = openPageBodies(pagePlace);
  if (bodies === null) return [];
  const [name, bytes] = [`doctor-${randomUUID()}`, Buffer.from('doctor')];
  try {
    await bodies.put(name, bytes);
    const found = await bodies.get(name);
    await bodies.delete(name);
    if (found?.equals(bytes) === true) return [ok(PLACE, 'an object was written, read and deleted')];
    return [fail(PLACE, 'an object that was written is not there', 'KEPT_PAGES must name a place that every process sees')];
  } catch (error) {
    return [fail(PLACE, reasonOf(error), 'check KEPT_PAGES, and that the service may write, read and delete there')];
  }
}

const mb = (bytes: number): string => String(Math.ceil(bytes / MB));
