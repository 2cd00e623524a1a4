import { StartRefused } from '../../kernel/start-refused.ts';
import type { ImportFindings } from '../findings.ts';
import { CountedDays, type ImportedHistory } from '../counted-days.ts';
import { readSqlite } from '../sqlite/read-sqlite.ts';
import type { SqliteDatabase, SqliteRecord } from '../sqlite/sqlite-database.ts';
import { SECOND_MS } from '../../kernel/time.ts';
import type { Importer } from '../importer.ts';
import { labelOf, type Monitor } from '../monitor.ts';
import type { ImportedWindow } from '../maintenance-windows.ts';
import { labelOfMaintenance, windowsOfKuma } from './uptime-kuma-maintenance.ts';
import { monitorOfKuma } from './uptime-kuma-monitor.ts';
import { uptimeKumaSettings } from './uptime-kuma-settings.ts';
import { type KumaPageTables, pagesOfKuma, pageTablesOf } from './uptime-kuma-status-page.ts';

/** The states of a heartbeat that count: pending and maintenance are neither. */
const [DOWN, UP] = [0, 1];
/** A large history takes longer than Kuma waits between two checkpoints. */
const PATIENCE = { attempts: 3, waitMs: 1_000 };

/** The days that Kuma counted for each monitor, by its id, each from the table that has most of it. */
async function daysOfKuma(path: string, findings: ImportFindings): Promise<ReadonlyMap<unknown, CountedDays>> {
  try {
    return await readSqlite(path, daysIn, PATIENCE);
  } catch (error) {
    if (!(error instanceof StartRefused)) throw error;
    findings.miss('all monitors', `history: ${error.message.slice(path.length + 2)}`);
    return new Map();
  }
}

/** Kuma keeps few heartbeats; version 2 puts the older ones into sums of hours and days. */
function daysIn(database: SqliteDatabase): ReadonlyMap<unknown, CountedDays> {
  const all = new Map<unknown, CountedDays>();
  const days = (monitor: unknown): CountedDays => {
    const known = all.get(monitor) ?? new CountedDays();
    all.set(monitor, known);
    return known;
  };
  for (const { monitor_id: monitor, status, time } of database.rows('heartbeat', ['monitor_id', 'status', 'time']))
    if (status === UP || status === DOWN)
      days(monitor).add('heartbeat', Date.parse(`${String(time).replace(' ', 'T')}Z`), status, 1 - status);
  for (const table of ['stat_minutely', 'stat_hourly', 'stat_daily'])
    for (const { monitor_id: monitor, timestamp, up, down } of database.rows(table, ['monitor_id', 'timestamp', 'up', 'down']))
      days(monitor).add(table, Number(timestamp) * SECOND_MS, Number(up), Number(down));
  return all;
}

/** The newest schemas whose settings are known: of version 1 by its number, of version 2 by its migrations (Uptime Kuma 2.5.3). */
const NEWEST_VERSION_1 = 10;
const NEWEST_MIGRATION = '2026-08-18-0000-sqlite-only-drop-analytics-type-check.js';
/** Kuma's own, where it is not set. */
const TLS_EXPIRY_DAYS = [7, 14, 21];

/** The file kuma.db of version 1 or 2, also while Kuma writes it. */
export const uptimeKumaImporter: Importer = {
  product: 'Uptime Kuma',
  source: 'its database, the file kuma.db; with its -wal beside it, Kuma may be running',
  settings: uptimeKumaSettings,
  read: async ({ name, now }, { findings }) => {
    const tables = await readSqlite(name, (database) => tablesOf(database, name));
    const days = await daysOfKuma(name, findings);
    const historyOf = (id: unknown): ImportedHistory | null => days.get(id)?.history(now) ?? null;
    const maintenance = maintenanceOfMonitors(tables, now, findings);
    noteUnusedChannels(tables, findings);
    return { monitors: monitorsOf(tables, { historyOf, maintenance, findings }), pages: pagesOfKuma(tables.pages, findings) };
  },
};

interface Tables {
  readonly monitors: readonly SqliteRecord[];
  readonly tlsExpiryDays: readonly number[];
  readonly tags: readonly SqliteRecord[];
  readonly monitorTags: readonly SqliteRecord[];
  readonly notifications: readonly SqliteRecord[];
  readonly monitorNotifications: readonly SqliteRecord[];
  readonly maintenance: readonly SqliteRecord[];
  readonly monitorMaintenance: readonly SqliteRecord[];
  readonly pages: KumaPageTables;
  /** Null when Kuma takes it from the machine that it runs on. */
  readonly timeZone: string | null;
}

function tablesOf(database: SqliteDatabase, name: string): Tables {
  const settings = new Map([...database.rows('setting')].map(({ key, value }) => [key, value]));
  refuseUnknownVersion(database, settings.get('database_version'), name);
  const days: unknown = JSON.parse(String(settings.get('tlsExpiryNotifyDays') ?? 'null'));
  const [, timeZone = null] = /^"([^"]+)"$/.exec(String(settings.get('serverTimezone') ?? '')) ?? [];
  return {
    monitors: [...database.rows('monitor')],
    tlsExpiryDays: Array.isArray(days) && days.length > 0 ? days.map(Number).filter((day) => day >= 1) : TLS_EXPIRY_DAYS,
    tags: [...database.rows('tag')],
    monitorTags: [...database.rows('monitor_tag')],
    notifications: [...database.rows('notification', ['id', 'name', 'config'])],
    monitorNotifications: [...database.rows('monitor_notification', ['monitor_id', 'notification_id'])],
    maintenance: [...database.rows('maintenance')],
    monitorMaintenance: [...database.rows('monitor_maintenance')],
    pages: pageTablesOf(database),
    timeZone,
  };
}

function refuseUnknownVersion(database: SqliteDatabase, version: unknown, name: string): void {
  const is = (what: string): never => {
    throw new StartRefused(`${name}: is ${what}; known are the versions 1 and 2 up to the migration ${NEWEST_MIGRATION}`);
  };
  if (!database.has('monitor') || !database.has('setting')) is('no database of Uptime Kuma');
  const migrations = [...database.rows('knex_migrations')].map((row) => String(row['name']));
  const newest = migrations.toSorted().at(-1) ?? '';
  if (newest > NEWEST_MIGRATION) is(`of a newer version of Uptime Kuma, with the migration ${newest}`);
  if (newest === '' && Number(version) > NEWEST_VERSION_1)
    is(`of a newer version of Uptime Kuma, with the database version ${String(version)}`);
}

/** The windows of the monitors that have any, by their ids; groups are monitors, too. */
function maintenanceOfMonitors(tables: Tables, now: number, findings: ImportFindings): ReadonlyMap<unknown, readonly ImportedWindow[]> {
  const ofMonitors = new Map<unknown, readonly ImportedWindow[]>();
  for (const record of tables.maintenance) {
    const monitors = tables.monitorMaintenance.filter((row) => row['maintenance_id'] === record['id']).map((row) => row['monitor_id']);
    if (monitors.length === 0) {
      findings.leaveOut(labelOfMaintenance(record), 'no monitor has it');
      continue;
    }
    const windows = windowsOfKuma({ record, serverZone: tables.timeZone, now }, findings);
    for (const id of monitors) ofMonitors.set(id, [...(ofMonitors.get(id) ?? []), ...windows]);
  }
  return ofMonitors;
}

/** `name=value`, as Kuma shows a tag. */
const tagsOf = (id: unknown, { tags, monitorTags }: Tables): readonly string[] =>
  monitorTags
    .filter((row) => row['monitor_id'] === id)
    .map(({ tag_id: tag, value }) =>
      [tags.find((row) => row['id'] === tag)?.['name'], value].filter((part) => typeof part === 'string' && part !== '').join('='),
    );

const textOfRow = (row: string): string => uptimeKumaSettings[row]?.text ?? '';

/** A channel by its name and its type; the rest of its settings are addresses and secrets. */
function labelOfChannel({ name, config }: SqliteRecord): string {
  const [, type = ''] = /"type"\s*:\s*"([\w.-]{1,40})"/.exec(String(config)) ?? [];
  return type === '' ? String(name) : `${String(name)} (${type})`;
}

/** The channels of a monitor. */
const channelsOf = (id: unknown, { notifications, monitorNotifications }: Tables): readonly string[] =>
  monitorNotifications
    .filter((row) => row['monitor_id'] === id)
    .flatMap(({ notification_id: channel }) => notifications.filter((one) => one['id'] === channel).map(labelOfChannel));

/** Those of no monitor. */
function noteUnusedChannels({ notifications, monitorNotifications }: Tables, findings: ImportFindings): void {
  const used = new Set(monitorNotifications.map((row) => row['notification_id']));
  for (const channel of notifications)
    if (!used.has(channel['id'])) findings.leaveOut(`notification ${labelOfChannel(channel)}`, 'no monitor has it');
}

interface Attached {
  readonly historyOf: (id: unknown) => ImportedHistory | null;
  readonly maintenance: ReadonlyMap<unknown, readonly ImportedWindow[]>;
  readonly findings: ImportFindings;
}

function monitorsOf(tables: Tables, { historyOf, maintenance, findings }: Attached): readonly Monitor[] {
  const { monitors, tlsExpiryDays } = tables;
  const byId = new Map(monitors.map((record) => [record['id'], record]));
  return monitors.flatMap((record): readonly Monitor[] => {
    if (record['type'] === 'group') return [];
    const above = groupsAbove(record, byId);
    const isPaused = [record, ...above].some(({ active }) => active === 0);
    const path = above.map(({ name }) => String(name)).toReversed();
    const monitor = monitorOfKuma({ record, path, isPaused, certificateDays: Math.max(...tlsExpiryDays) }, findings);
    if (monitor === null) return [];
    const channels = channelsOf(record['id'], tables);
    if (channels.length > 0)
      findings.miss(labelOf(monitor), `notifications by ${channels.join(', ')}: ${textOfRow('monitor_notification (notifications)')}`);
    const windows = [record, ...above].flatMap(({ id }) => maintenance.get(id) ?? []);
    const history = historyOf(record['id']);
    return [{ ...monitor, tags: tagsOf(record['id'], tables), maintenance: windows, ...(history !== null && { history }) }];
  });
}

/** The groups from the nearest one up; a damaged database may have a loop. */
function groupsAbove(record: SqliteRecord, byId: ReadonlyMap<unknown, SqliteRecord>): readonly SqliteRecord[] {
  const above: SqliteRecord[] = [];
  for (let group = byId.get(record['parent']); group !== undefined && !above.includes(group); group = byId.get(group['parent']))
    above.push(group);
  return above;
}
