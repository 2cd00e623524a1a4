import { ChangeIncident, type IncidentChange } from '../incident.commands.ts';
import { systemContext } from '../../platform/commands/context.ts';
import { itemsOf, type StatusItem } from '../status-page.settings.ts';
import { repeatUntilAborted, runTogether } from '../../kernel/abortable.ts';
import type { Clock } from '../../kernel/clock.ts';
import { DomainError } from '../../kernel/errors.ts';
import { chainAfter, type EventChain, type LogEvent } from '../../kernel/event.ts';
import { derivedId } from '../../kernel/ids.ts';
import type { Log } from '../../platform/log/log.ts';
import { checkView } from '../../projects/checks/check.view.ts';
import { projectView } from '../../projects/project.view.ts';
import { incidentsView } from '../incidents.view.ts';
import { mayPublish, type StatusPageRow, statusPageView } from '../status-page.view.ts';
import { verdictView } from '../../checker/verdicts/verdict.view.ts';
import type { Wake } from '../../platform/postgres/wake.ts';
import { type Views, type ViewsAt, viewsContaining } from '../../platform/read-models/views/views.ts';
import { momentOf, wordsOf } from '../words/words.ts';
import { AtLeastOnceConsumer } from '../../platform/consumers/at-least-once-consumer.ts';
import { type ConsumerStore, RETRY_FOR_THREE_DAYS } from '../../platform/consumers/consumer-store.ts';
import { type ApplyEvent, isNoFaultOfEvent } from '../../platform/consumers/log-consumer.ts';
import { type LogEventOf, upcast } from '../../events.ts';
import { projectIdOf } from '../../kernel/stream-names.ts';

/** What an event means for the items of status pages. */
interface FailureEffect {
  readonly kind: 'failing' | 'recovered' | 'ended';
  readonly projectId: string;
  /** Null for the site of the project. */
  readonly checkId: string | null;
  /** When it began, in words of the event. */
  readonly since: string;
}

type HandledType =
  | 'UptimeWentDown'
  | 'UptimeWentUp'
  | 'UptimePeriodChanged'
  | 'CheckFailed'
  | 'CheckRecovered'
  | 'CheckSwitched'
  | 'CheckDeleted';
type Effect = Omit<FailureEffect, 'projectId'>;

const handlers: { readonly [Type in HandledType]: (event: LogEventOf<Type>) => Effect | null } = {
  // What fails from its first measurement on was set up wrongly, or fails since before it was watched.
  UptimeWentDown: ({ data: { since, before } }) => (before === 'unknown' ? null : { kind: 'failing', checkId: null, since }),
  UptimeWentUp: ({ data: { since } }) => ({ kind: 'recovered', checkId: null, since }),
  UptimePeriodChanged: ({ data: { to }, recordedAt }) => (to === 'false' ? { kind: 'ended', checkId: null, since: recordedAt } : null),
  CheckFailed: ({ data: { checkId, since, confirmed } }) => (confirmed ? { kind: 'failing', checkId, since } : null),
  CheckRecovered: ({ data: { checkId, since } }) => ({ kind: 'recovered', checkId, since }),
  CheckSwitched: ({ data: { checkId, to }, recordedAt }) => (to ? null : { kind: 'ended', checkId, since: recordedAt }),
  CheckDeleted: ({ data: { checkId }, recordedAt }) => ({ kind: 'ended', checkId, since: recordedAt }),
};

/** Null when it means nothing, or cannot be read; the notifications report what cannot be read. */
function failureEffectOf(event: LogEvent): FailureEffect | null {
  if (!Object.hasOwn(handlers, event.type)) return null;
  try {
    // The table's key and the event's type agree; the compiler cannot follow that through the lookup.
    const handler = handlers[event.type as HandledType] as (event: LogEvent) => Effect | null;
    const effect = handler(upcast(event));
    return effect && { ...effect, projectId: projectIdOf(event.scope) };
  } catch {
    return null;
  }
}

/** The name of its consumer and its lease, and the reactor in whose name incidents are drafted. */
export const STATUS_DRAFTS = 'status-drafts';

export interface StatusDraftsParts {
  readonly consumers: ConsumerStore;
  readonly log: Pick<Log, 'read' | 'head'>;
  readonly views: Pick<ViewsAt, 'now'>;
  readonly wake: Pick<Wake, 'bell'>;
  readonly commands: { execute(command: ChangeIncident): Promise<unknown> };
  readonly clock: Clock;
  readonly onParked?: (event: LogEvent, error: unknown) => void;
}

const DEADLINES_MS = 5_000;

interface ShownOn {
  readonly page: StatusPageRow;
  readonly item: StatusItem;
}

/**
 * The process manager of incidents: follows the log and drafts an incident when an item of a status page fails, publishes the drafts of pages that want it
 * after their time, and ends them when the item has recovered. Commands have ids that follow from the event, and their decisions are no-ops where
 * nothing is left to do: what was handled before a crash changes nothing when it is handled again.
 */
export class StatusDrafts {
  readonly consumer: AtLeastOnceConsumer;

  constructor(private readonly parts: StatusDraftsParts) {
    this.consumer = new AtLeastOnceConsumer({
      ...parts,
      name: STATUS_DRAFTS,
      about: 'drafts of incidents on status pages',
      store: parts.consumers,
      retry: RETRY_FOR_THREE_DAYS,
      wants: (event) => failureEffectOf(event) !== null,
      begin: (events) => this.begin(events),
      concurrent: () => 1,
      isInterruption,
    });
  }

  /** Follows the log, and publishes drafts whose time has come beside it. */
  async work(signal: AbortSignal): Promise<void> {
    await runTogether(signal, [
      (both) => this.consumer.work(both),
      (both) => repeatUntilAborted(both, DEADLINES_MS, () => this.publishDue()),
    ]);
  }

  private async begin(events: readonly LogEvent[]): Promise<ApplyEvent> {
    // Whether a group has recovered is decided by the verdicts of all of its checks.
    const views = await viewsContaining(this.parts.views, events.at(-1)?.n ?? -1);
    const pages = await pagesOf(views);
    return async (event) => {
      const effect = pages.length === 0 ? null : failureEffectOf(event);
      if (effect !== null) await this.apply(event, effect, pages, views);
    };
  }

  private async apply(event: LogEvent, effect: FailureEffect, pages: readonly StatusPageRow[], views: Views): Promise<void> {
    for (const { page, item } of await shownOn(effect, pages, views)) {
      const change = effect.kind === 'failing' ? draftOf(event, effect, page, item) : await this.endOf(effect, page, item, views);
      if (change !== null) await this.change(page, change, derivedId(STATUS_DRAFTS, event.id, page.pageId, item.id), chainAfter(event));
    }
  }

  /** A group has recovered when none of its checks fails any more. */
  private async endOf(
    { kind, since, checkId }: FailureEffect,
    { settings }: StatusPageRow,
    item: StatusItem,
    views: Views,
  ): Promise<IncidentChange | null> {
    if (item.kind === 'group') {
      const checks = (await views.list(checkView, { scope: `project-${item.projectId}`, where: { runs: { eq: item.id } } })).map(
        ({ key }) => key,
      );
      const verdicts = await views.many(
        verdictView,
        checks.filter((id) => id !== checkId),
        'as before',
      );
      if ([...verdicts.values()].some(({ status }) => status !== 'ok')) return null;
    }
    const words = wordsOf(settings.languages[0] ?? 'en');
    const text = kind === 'recovered' && settings.automatic.resolve ? words.resolvedText(momentOf(Date.parse(since), words)) : null;
    return { kind: 'end automatic', item: item.id, text };
  }

  /** The drafts whose time has come; an item that recovered before has none any more. */
  async publishDue(): Promise<void> {
    const views = this.parts.views.now();
    const pages = (await pagesOf(views)).filter(({ settings }) => settings.automatic.publishAfterMinutes !== null);
    const rows = await views.many(
      incidentsView,
      pages.map(({ pageId }) => pageId),
      'as before',
    );
    for (const page of pages) {
      const before = this.parts.clock.now() - (page.settings.automatic.publishAfterMinutes ?? 0) * 60_000;
      for (const { incidentId, isAutomatic, draftedAt } of rows.get(page.pageId)?.incidents ?? [])
        if (isAutomatic && Date.parse(draftedAt) <= before)
          await this.change(
            page,
            { kind: 'publish automatic', incidentId },
            derivedId(STATUS_DRAFTS, 'publish', page.pageId, incidentId),
            null,
          );
    }
  }

  /** A refusal, such as of a page that was deleted meanwhile, is final. */
  private async change({ pageId }: StatusPageRow, change: IncidentChange, commandId: string, chain: EventChain | null): Promise<void> {
    const context = systemContext({ kind: 'reactor', id: STATUS_DRAFTS }, this.parts.clock.now(), { commandId, chain });
    try {
      await this.parts.commands.execute(new ChangeIncident(context, { pageId, change }));
    } catch (error) {
      if (isInterruption(error) || !(error instanceof DomainError)) throw error;
    }
  }
}

/** The store or the database does not answer: the whole work begins again, rather than parking the event. */
const isInterruption = (error: unknown): boolean =>
  isNoFaultOfEvent(error) || (error instanceof DomainError && (error.code === 'STORE_UNAVAILABLE' || error.code === 'TOO_CONTENDED'));

const pagesOf = async (views: Views): Promise<readonly StatusPageRow[]> =>
  (await views.list(statusPageView, { parked: 'as before' })).map(({ row }) => row).filter(({ settings }) => settings.automatic.draft);

/** The items that show what an event is about, on pages that may show the project. */
async function shownOn({ projectId, checkId }: FailureEffect, pages: readonly StatusPageRow[], views: Views): Promise<readonly ShownOn[]> {
  const candidates = pages.flatMap((page) =>
    itemsOf(page.settings).flatMap((item) => (item.projectId === projectId ? [{ page, item }] : [])),
  );
  if (candidates.length === 0) return [];
  const [project, check] = await Promise.all([
    views.many(projectView, [projectId], 'as before'),
    checkId === null ? null : views.many(checkView, [checkId], 'as before'),
  ]);
  const groupId = checkId === null ? null : (check?.get(checkId)?.areaId ?? null);
  const isMeant = ({ kind, id }: StatusItem): boolean =>
    checkId === null ? kind === 'project' : (kind === 'check' && id === checkId) || (kind === 'group' && id === groupId);
  return candidates.filter(({ page, item }) => isMeant(item) && mayPublish(project.get(projectId), page.by));
}

function draftOf(event: LogEvent, { since }: FailureEffect, { settings }: StatusPageRow, { id, name }: StatusItem): IncidentChange {
  const words = wordsOf(settings.languages[0] ?? 'en');
  return {
    kind: 'draft for item',
    automatic: { item: id, event: event.id },
    words: {
      ...({ title: words.draftTitle(name), text: words.draftText(momentOf(Date.parse(since), words)), state: 'investigating' } as const),
      items: [id],
    },
  };
}
