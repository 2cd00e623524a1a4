import { Injectable } from '@nestjs/common';
import { incidentsStream, projectsOf, type StatusItem } from './status-page.settings.ts';
import { projectStream, verdictStream } from '../kernel/stream-names.ts';
import type { LogEvent } from '../kernel/event.ts';
import { leafOf } from '../client/proofs/leaf.ts';
import { hashToText, leafHash } from '../client/proofs/merkle-tree.ts';
import { Log } from '../platform/log/log.ts';
import { LogSearcher } from '../platform/log/search.ts';
import { checkView } from '../projects/checks/check.view.ts';
import { projectView } from '../projects/project.view.ts';
import { incidentsView, publishedN } from './incidents.view.ts';
import { mayPublish, type StatusPageRow } from './status-page.view.ts';
import { ViewsAt } from '../platform/read-models/views/views.ts';
import type { RecordedEvent, RecordedKind } from './page/record-page.ts';
import { MOST_CHECKS } from './item-reading.ts';

const KINDS: Readonly<Record<string, RecordedKind>> = {
  UptimeBegan: 'working',
  UptimeWentUp: 'working',
  UptimeWentDown: 'failing',
  UptimeFailureChanged: 'failing',
  CheckPassed: 'working',
  CheckRecovered: 'working',
  CheckFailed: 'failing',
  CheckFailureChanged: 'failing',
  MaintenanceScheduled: 'maintenance',
  MaintenanceCancelled: 'maintenance',
  UptimeDayClosed: 'day',
  IncidentPublished: 'published',
  IncidentUpdated: 'updated',
  IncidentUpdateEdited: 'edited',
};
const OF_SITE = ['UptimeBegan', 'UptimeWentUp', 'UptimeWentDown', 'UptimeFailureChanged', 'UptimeDayClosed'];
const OF_CHECKS = ['CheckPassed', 'CheckRecovered', 'CheckFailed', 'CheckFailureChanged'];
const OF_PROJECT = ['MaintenanceScheduled', 'MaintenanceCancelled'];
const OF_INCIDENTS = ['IncidentPublished', 'IncidentUpdated', 'IncidentUpdateEdited'];
const MOST_EVENTS = 300;

/** An event behind a page, with its words where they are public. */
export interface ProvableEvent extends RecordedEvent {
  /** The leaf that the hash is of: of a published incident the whole event, which holds only what the page says and who said it; null: private. */
  readonly leaf: string | null;
}

/** The events behind what a status page says: their kind, place and hash; only those of published incidents with their content. */
@Injectable()
export class RecordReading {
  constructor(
    private readonly searcher: LogSearcher,
    private readonly views: ViewsAt,
    private readonly log: Log,
  ) {}

  /** The newest first; none where the page may not show the project any more. */
  async ofItem(page: StatusPageRow, { kind, id, projectId }: StatusItem, most = MOST_EVENTS): Promise<readonly ProvableEvent[]> {
    if (!(await this.mayShow(page, projectId))) return [];
    const scope = projectStream(projectId);
    const types = [...(kind === 'project' ? OF_SITE : OF_CHECKS), ...OF_PROJECT];
    if (kind === 'project') return (await this.newest(scope, types, null, most)).map(recorded);
    if (kind === 'check') return (await this.both(scope, [id], most)).map(recorded);
    const checks = await this.views
      .now()
      .list(checkView, { scope, where: { runs: { eq: id } }, order: { by: 'order' }, limit: MOST_CHECKS });
    return (
      await this.both(
        scope,
        checks.map(({ key }) => key),
        most,
      )
    ).map(recorded);
  }

  /** Those of incidents that were published before the access to the page became wider are not among them. */
  async ofIncidents(page: StatusPageRow): Promise<readonly ProvableEvent[]> {
    const [events, hidden] = await Promise.all([
      this.newest('system', OF_INCIDENTS, incidentsStream(page.pageId), MOST_EVENTS),
      this.hiddenIncidents(page),
    ]);
    return events
      .filter(({ n }) => n >= page.openedN)
      .map(recorded)
      .filter(({ incident }) => !hidden.has(incident?.id));
  }

  /** The event at this position, if it is one of those behind the page. */
  async at(page: StatusPageRow, n: number): Promise<ProvableEvent | null> {
    const [event] = await this.log.read({ after: n - 1, until: n, limit: 1 });
    if (event === undefined || !Object.hasOwn(KINDS, event.type)) return null;
    if (event.stream === incidentsStream(page.pageId)) {
      const found = recorded(event);
      return n < page.openedN || (await this.hiddenIncidents(page)).has(found.incident?.id) ? null : found;
    }
    const projectId = projectsOf(page.settings).find((id) => projectStream(id) === event.scope);
    return projectId !== undefined && (await this.mayShow(page, projectId)) ? recorded(event) : null;
  }

  private async hiddenIncidents({ pageId, openedN }: StatusPageRow): Promise<ReadonlySet<string | undefined>> {
    const { incidents } = (await this.views.now().get(incidentsView, pageId)) ?? { incidents: [] };
    const hidden = incidents.filter((incident) => (publishedN(incident) ?? openedN) < openedN);
    return new Set(hidden.map(({ incidentId }) => incidentId));
  }

  private async mayShow({ by }: StatusPageRow, projectId: string): Promise<boolean> {
    return mayPublish((await this.views.now().get(projectView, projectId)) ?? undefined, by);
  }

  /** Verdicts of these checks, and planned work of their project. */
  private async both(scope: string, checkIds: readonly string[], most: number): Promise<readonly LogEvent[]> {
    const streams = new Set(checkIds.map(verdictStream));
    const [only] = streams.size === 1 ? streams : [];
    const [verdicts, planned] = await Promise.all([
      this.newest(scope, OF_CHECKS, only ?? null, MOST_EVENTS),
      this.newest(scope, OF_PROJECT, null, most),
    ]);
    return [...verdicts.filter(({ stream }) => streams.has(stream)), ...planned].toSorted((one, other) => other.n - one.n).slice(0, most);
  }

  private newest(scope: string, types: readonly string[], stream: string | null, limit: number): Promise<readonly LogEvent[]> {
    return this.searcher.find({
      after: -1,
      before: Number.MAX_SAFE_INTEGER,
      scopes: [scope],
      types,
      stream,
      actors: [],
      direction: 'desc',
      limit,
    });
  }
}

function recorded(event: LogEvent): ProvableEvent {
  const [kind, leaf, incident] = [KINDS[event.type] ?? 'day', leafOf(event), incidentOf(event)];
  return {
    n: event.n,
    at: Date.parse(event.recordedAt),
    kind,
    about: aboutOf(event),
    incident,
    hash: hashToText(leafHash(leaf)),
    leaf: incident === null ? null : leaf,
  };
}

/** The instant or the day that an event of measurements is about. */
function aboutOf({ data }: LogEvent): string | null {
  const { since, day }: { readonly since?: unknown; readonly day?: unknown } = data;
  const found = since ?? day;
  return typeof found === 'string' ? found : null;
}

function incidentOf({ data }: LogEvent): RecordedEvent['incident'] {
  const { incidentId, title, text, to }: { readonly [name in 'incidentId' | 'title' | 'text' | 'to']?: unknown } = data;
  return typeof incidentId === 'string' ? { id: incidentId, words: String(title ?? text ?? to) } : null;
}
