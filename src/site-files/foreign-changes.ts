import { Injectable } from '@nestjs/common';
import { areaSettingTable } from '../projects/areas/area.setting-table.ts';
import { checkSettingTable } from '../projects/checks/check.setting-table.ts';
import { settingEvents } from '../projects/project.events.ts';
import { settingFields } from '../projects/project.settings.ts';
import { statusPagesTarget } from '../status-pages/status-page.decider.ts';
import { projectStream } from '../kernel/stream-names.ts';
import { same } from '../kernel/change.ts';
import type { LogEvent } from '../kernel/event.ts';
import { HistoryReading } from '../history/history-reading.ts';
import type { PlannedSite } from './planned-site.ts';
import type { SiteChange } from './site-changes.ts';
import type { ForeignChangeAnswer } from './site-files.api.ts';
import type { PlannedStatusPage } from './status-page-planner.ts';

/** Newest events of a project among which the last change of a field is searched. */
const SEARCHED = 1_000;

/** The event of a change that did not come from a site file, by what it changed. */
export type ForeignChanges = (what: string) => ForeignChangeAnswer | null;

const ofSettings = new Set<string>(
  [settingEvents, areaSettingTable, checkSettingTable].flatMap((table: object) => Object.values(table) as readonly string[]),
);
const TYPES = [...ofSettings, 'CheckMoved', 'AreaCreated', 'CheckCreated', 'ObjectiveSet', 'ObjectiveRemoved'];

/** Fields of the API under which a setting is shown by another name. */
const SETTINGS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(Object.entries(settingFields).map(([setting, field]) => [field, setting])),
  templateId: 'template',
  templateVars: 'template',
};
const OF_GROUP: Readonly<Record<string, string>> = { options: 'headers' };

/** Finds who changed what a site file says otherwise: over HTTP, in the console or by another program (docs/spec/beyond.md#B10). */
@Injectable()
export class ForeignChangesReading {
  constructor(private readonly history: HistoryReading) {}

  async of({ projectId, access, changes, decision }: PlannedSite): Promise<ForeignChanges> {
    if (access === null || (changes.length === 0 && decision.unlisted.length === 0)) return () => null;
    const last = new Map<string, LogEvent>();
    for (const event of await this.history.newest(projectStream(projectId), TYPES, SEARCHED)) last.set(whatOf(event), event);
    return this.foreignIn(last);
  }

  /** The same of a status page, whose events hold all settings. */
  async ofPage({ row, changes }: PlannedStatusPage): Promise<ForeignChanges> {
    if (row === null || changes.length === 0) return () => null;
    const last = new Map<string, LogEvent>();
    let before: Readonly<Record<string, unknown>> = {};
    const events = await this.history.newest(statusPagesTarget.scope, ['StatusPageCreated', 'StatusPageChanged'], SEARCHED);
    for (const event of events.filter(({ data }) => 'pageId' in data && data.pageId === row.pageId)) {
      const after: Readonly<Record<string, unknown>> = { ...event.data };
      for (const name of Object.keys(after)) if (!same(before[name], after[name])) last.set(`${row.pageId} ${name}`, event);
      before = after;
    }
    return this.foreignIn(last);
  }

  private async foreignIn(last: ReadonlyMap<string, LogEvent>): Promise<ForeignChanges> {
    const foreign = [...last].filter(([, { meta }]) => meta.apply === undefined);
    const presented = await this.history.presented(foreign.map(([, event]) => event));
    const shown = new Map(
      foreign.map(([what], index): [string, ForeignChangeAnswer | undefined] => {
        const event = presented[index];
        return [
          what,
          event && { event: event.id, type: event.type, recordedAt: event.recordedAt, actor: event.actor, summary: event.summary },
        ];
      }),
    );
    return (what) => shown.get(what) ?? null;
  }
}

/** The object that an event is about, and its type. */
function whatOf({ type, data }: LogEvent): string {
  const { areaId, checkId } = data as { readonly areaId?: unknown; readonly checkId?: unknown };
  const id = type.startsWith('Area') ? areaId : type.startsWith('Check') ? checkId : 'project';
  return `${String(id)} ${type}`;
}

/** What the event of a field is found by. */
export function whatOfField({ kind, id }: SiteChange, path: string): string {
  const [field = ''] = path.split('.', 1);
  if (kind === 'objective') return 'project ObjectiveSet';
  if (kind === 'statusPage') return `${String(id)} ${field}`;
  if (kind === 'check' && field === 'group') return `${String(id)} CheckMoved`;
  const setting = kind === 'group' ? (OF_GROUP[field] ?? field) : (SETTINGS[field] ?? field);
  const table: Readonly<Record<string, string>> =
    kind === 'group' ? areaSettingTable : kind === 'check' ? checkSettingTable : settingEvents;
  return `${String(id)} ${table[setting] ?? ''}`;
}

/** What the creation of a group or check is found by. */
export const whatOfCreation = (kind: 'group' | 'check', id: string): string => `${id} ${kind === 'group' ? 'AreaCreated' : 'CheckCreated'}`;
