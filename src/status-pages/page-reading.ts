import { createHmac } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import pg from 'pg';
import { announcedWithin } from '../projects/maintenance/occurrences.ts';
import { itemsOf, projectsOf, type StatusItem, type StatusPageSettings } from './status-page.settings.ts';
import { ConcurrencyLimit } from '../kernel/concurrency-limit.ts';
import { Log } from '../platform/log/log.ts';
import { LogSearcher } from '../platform/log/search.ts';
import { maintenanceView, type MaintenanceWindowRow } from '../projects/maintenance/maintenance.view.ts';
import { projectView } from '../projects/project.view.ts';
import { type IncidentRow, incidentsView, publishedN, stateOfIncident } from './incidents.view.ts';
import { mayPublish, type StatusPageRow } from './status-page.view.ts';
import { unlessParked, type Views } from '../platform/read-models/views/views.ts';
import { type SampleReader, SampleStore } from '../platform/observations/samples/sample-store.ts';
import { Secrets } from '../platform/security/keyring/secrets.ts';
import { firstFailingBefore, type ItemFacts, itemStatus } from './item-status.ts';
import { type ItemStatus, type PlannedWork, type ShownIncident, type StatusPageModel } from './model.ts';
import { ItemReading, type KnownOfItem, nothingKnown, type PageInstant } from './item-reading.ts';
import { SHOWN_DAY, firstDayAt } from '../watches/uptime/shown-state.ts';

/** Ahead of the instant: planned work that is announced. */
const AHEAD_MS = 30 * SHOWN_DAY;
const MOST_PLANNED = 10;
/** Items of all pages that are read at once: each takes a few connections for a moment. */
const CONCURRENT_ITEMS = 4;

/** The page of today: of a past instant it shows no more than what these readers may see today. */
export interface PageOfToday {
  readonly page: StatusPageRow;
  /** Ids of its items whose project the responsible account may publish. */
  readonly publishable: ReadonlySet<string>;
}

/** Reads everything that a status page says at an instant. */
@Injectable()
export class PageReading {
  private readonly items: ItemReading;
  private readonly limit = new ConcurrencyLimit(CONCURRENT_ITEMS);

  constructor(
    pool: pg.Pool,
    log: Log,
    @Inject(SampleStore) samples: SampleReader,
    private readonly secrets: Secrets,
    searcher: LogSearcher,
  ) {
    this.items = new ItemReading({ pool, log, samples, searcher });
  }

  async read(page: StatusPageRow, { views, at, present }: PageInstant, today: PageOfToday | null = null): Promise<StatusPageModel> {
    const { pageId } = page;
    const { openedAt, openedN } = today?.page ?? page;
    const settings = today === null ? page.settings : standing(page.settings, today.page.settings);
    const n = views.position();
    const projectIds = projectsOf(settings);
    const [projects, windows, incidents, keyOf] = await Promise.all([
      views.many(projectView, projectIds, 'as before'),
      views.many(maintenanceView, projectIds, 'as before'),
      views.get(incidentsView, pageId),
      this.keysOf(pageId),
    ]);
    const shown = itemsOf(settings).filter(
      ({ id, projectId }) => mayPublish(projects.get(projectId), page.by) && (today === null || today.publishable.has(id)),
    );
    const read = await Promise.all(
      itemsOf(settings).map((item) =>
        this.limit.run(async () => {
          const spans = windowsOf(windows.get(item.projectId)?.windows ?? [], at);
          const known = shown.includes(item) ? await this.known(item, { views, at, present }) : nothingKnown;
          const facts: ItemFacts = { key: keyOf(item.id), name: item.name, ...known, ...(shown.includes(item) ? spans : noWindows) };
          return [item, itemStatus(facts, at)] as const;
        }),
      ),
    );
    const statusOf = new Map<StatusItem, ItemStatus>(read);
    const { slug, title, access, languages, words, colors } = settings;
    return {
      slug,
      title,
      access,
      languages,
      words,
      colors,
      at,
      isPast: present !== null,
      n,
      openedAt: Date.parse(openedAt),
      groups: settings.groups.map(({ name, items }) => ({ name, items: items.flatMap((item) => statusOf.get(item) ?? []) })),
      incidents: shownIncidents(
        (incidents?.incidents ?? []).filter((incident) => (publishedN(incident) ?? openedN) >= openedN),
        statusOf,
        firstDayAt(at),
      ),
      planned: plannedWork(shown, (projectId) => windows.get(projectId)?.windows ?? [], at),
    };
  }

  async publishable(page: StatusPageRow, views: Views): Promise<ReadonlySet<string>> {
    const projects = await views.many(projectView, projectsOf(page.settings), 'as before');
    const found = itemsOf(page.settings).filter(({ projectId }) => mayPublish(projects.get(projectId), page.by));
    return new Set(found.map(({ id }) => id));
  }

  /** The item with this key in addresses of the page. */
  async itemOf({ pageId, settings }: StatusPageRow, key: string): Promise<StatusItem | null> {
    const keyOf = await this.keysOf(pageId);
    return itemsOf(settings).find(({ id }) => keyOf(id) === key) ?? null;
  }

  private async known(item: StatusItem, instant: PageInstant): Promise<KnownOfItem> {
    const known = await unlessParked(this.items.read(item, instant));
    return known === 'parked' ? nothingKnown : known;
  }

  /** Ids are not public: addresses of the page have keyed hashes of them. */
  private async keysOf(pageId: string): Promise<(id: string) => string> {
    const secret = await this.secrets.secret('object-ids');
    return (id) => createHmac('sha256', secret).update(`status item ${pageId} ${id}`).digest('hex').slice(0, 12);
  }
}

/** Settings of the past without the items that were removed since. */
function standing(then: StatusPageSettings, today: StatusPageSettings): StatusPageSettings {
  const ids = new Set(itemsOf(today).map(({ id }) => id));
  const groups = then.groups.map((group) => ({ ...group, items: group.items.filter(({ id }) => ids.has(id)) }));
  return { ...then, groups: groups.filter(({ items }) => items.length > 0) };
}

const noWindows = { maintenance: [], maintenanceUntil: null } as const;

/** Planned work is what was recorded before it began: a failure cannot be planned afterwards. */
function windowsOf(windows: readonly MaintenanceWindowRow[], at: number): Pick<ItemFacts, 'maintenance' | 'maintenanceUntil'> {
  const [now] = announcedWithin(windows, { from: at, to: at + AHEAD_MS });
  return { maintenance: announcedWithin(windows, { from: firstDayAt(at), to: at }), maintenanceUntil: now?.from === at ? now.to : null };
}

function plannedWork(
  items: readonly StatusItem[],
  windowsOfProject: (projectId: string) => readonly MaintenanceWindowRow[],
  at: number,
): readonly PlannedWork[] {
  const found = new Map<string, { from: number; to: number; items: string[] }>();
  for (const { name, projectId } of items) {
    const spans = announcedWithin(windowsOfProject(projectId), { from: at, to: at + AHEAD_MS });
    for (const { from, to } of spans.slice(0, MOST_PLANNED)) {
      if (from <= at) continue;
      const known = found.get(`${String(from)} ${String(to)}`) ?? { from, to, items: [] };
      known.items.push(name);
      found.set(`${String(from)} ${String(to)}`, known);
    }
  }
  return [...found.values()].toSorted((one, other) => one.from - other.from).slice(0, MOST_PLANNED);
}

/** Drafts are not among them. */
function shownIncidents(
  incidents: readonly IncidentRow[],
  items: ReadonlyMap<StatusItem, ItemStatus>,
  since: number,
): readonly ShownIncident[] {
  const known = new Map([...items].map(([{ id }, status]) => [id, status]));
  return incidents
    .flatMap((incident): readonly ShownIncident[] => {
      const { incidentId: id, title, publishedAt, updates } = incident;
      const state = stateOfIncident(incident);
      if (publishedAt === null || (state === 'resolved' && Date.parse(publishedAt) < since)) return [];
      const about = incident.items.flatMap((item) => known.get(item) ?? []);
      const at = Date.parse(publishedAt);
      return [
        {
          id,
          title,
          state,
          publishedAt: at,
          firstFailing: firstFailingBefore(about, at),
          items: about.map(({ name }) => name),
          updates: updates
            .map((update) => ({
              state: update.state,
              wordings: update.wordings.map(({ text, at: then, n }) => ({ text, at: Date.parse(then), n })),
            }))
            .toReversed(),
        },
      ];
    })
    .toReversed();
}
