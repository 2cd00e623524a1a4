import type { ImportFindings } from '../findings.ts';
import { labelOfPage, type SourceStatusPage } from '../imported-status-page.ts';
import { noteMissing } from '../setting-rows.ts';
import type { SqliteDatabase, SqliteRecord } from '../sqlite/sqlite-database.ts';
import { uptimeKumaSettings } from './uptime-kuma-settings.ts';

export interface KumaPageTables {
  readonly pages: readonly SqliteRecord[];
  readonly groups: readonly SqliteRecord[];
  readonly monitorsOfGroups: readonly SqliteRecord[];
  readonly domains: readonly SqliteRecord[];
  readonly incidents: readonly SqliteRecord[];
  readonly monitors: ReadonlyMap<unknown, SqliteRecord>;
}

export const pageTablesOf = (database: SqliteDatabase): KumaPageTables => ({
  pages: [...database.rows('status_page')],
  groups: [...database.rows('group')],
  monitorsOfGroups: [...database.rows('monitor_group')],
  domains: [...database.rows('status_page_cname')],
  incidents: [...database.rows('incident')],
  monitors: new Map([...database.rows('monitor')].map((record) => [record['id'], record])),
});

export const pagesOfKuma = (tables: KumaPageTables, findings: ImportFindings): readonly SourceStatusPage[] =>
  tables.pages.map((record) => pageOfKuma(record, tables, findings));

function pageOfKuma(record: SqliteRecord, tables: KumaPageTables, findings: ImportFindings): SourceStatusPage {
  const { groups, monitorsOfGroups, monitors, domains, incidents } = tables;
  const own = <Row extends SqliteRecord>(rows: readonly Row[]): readonly Row[] =>
    rows.filter((row) => row['status_page_id'] === record['id']);
  const page = {
    slug: textOf(record['slug']),
    title: textOf(record['title']),
    about: textOf(record['description']),
    footer: textOf(record['footer_text']),
    isForMembers: record['published'] === 0,
    groups: byWeight(own(groups)).map((group) => ({
      name: textOf(group['name']),
      items: byWeight(monitorsOfGroups.filter((row) => row['group_id'] === group['id'])).map(({ monitor_id: id }) => {
        const monitor = monitors.get(id);
        const isGroup = monitor?.['type'] === 'group';
        return {
          kind: isGroup ? ('group' as const) : ('monitor' as const),
          id: isGroup ? `group-${textOf(id)}` : textOf(id),
          name: textOf(monitor?.['name']) || `monitor ${textOf(id)}`,
        };
      }),
    })),
  };
  const label = labelOfPage(page);
  noteMissing(label, record, uptimeKumaSettings, findings, 'status_page.');
  for (const { domain } of own(domains)) findings.miss(label, `status_page_cname ${textOf(domain)}: ${textOfRow('status_page_cname')}`);
  for (const { title } of own(incidents).filter(({ active }) => active !== 0))
    findings.miss(label, `incident ${textOf(title)}: ${textOfRow('incident')}`);
  return page;
}

const byWeight = (rows: readonly SqliteRecord[]): readonly SqliteRecord[] =>
  rows.toSorted((one, other) => Number(one['weight']) - Number(other['weight']));

const textOfRow = (row: string): string => uptimeKumaSettings[row]?.text ?? '';

const textOf = (value: unknown): string => (typeof value === 'string' || typeof value === 'number' ? String(value) : '');
