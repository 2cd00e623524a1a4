import type pg from 'pg';
import type { StatusNotice } from '../subscribers/status-notice.ts';
import { addStatusNotice, announcedWindow } from '../subscribers/status-outbox.ts';
import { removeSubscribersOf } from '../subscribers/subscriber-store.ts';
import { itemsOf, type StatusItem } from '../status-page.settings.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { LogEvent } from '../../kernel/event.ts';
import { projectView } from '../../projects/project.view.ts';
import { incidentsView } from '../incidents.view.ts';
import { mayPublish, type StatusPageRow, statusPageView } from '../status-page.view.ts';
import type { Views } from '../../platform/read-models/views/views.ts';
import type { NoticeEffect } from './notice-effect.ts';

/** Writes what events mean for subscribers, in one transaction. */
export class NoticeWriter {
  private pages: readonly StatusPageRow[] | undefined;

  constructor(
    private readonly client: pg.PoolClient,
    private readonly views: Views,
    private readonly clock: Clock,
  ) {}

  async apply(event: LogEvent, effect: NoticeEffect): Promise<void> {
    switch (effect.kind) {
      case 'incident': {
        const { pageId, incidentId, title, state, text, items } = effect.incident;
        return this.addIncident(event, pageId, { incidentId, isFirst: true, title, state, text }, items);
      }
      case 'update': {
        const { pageId, incidentId, state, text } = effect.update;
        const incidents = await this.views.get(incidentsView, pageId);
        const incident = incidents?.incidents.find((one) => one.incidentId === incidentId);
        if (incident === undefined) return;
        return this.addIncident(event, pageId, { incidentId, isFirst: false, title: incident.title, state, text }, incident.items);
      }
      case 'planned': {
        const { windowId, from, to, repeat } = effect.window;
        return this.addWork(event, effect.projectId, () => Promise.resolve({ about: 'planned', windowId, from, to, repeat }));
      }
      case 'cancelled':
        return this.addWork(event, effect.projectId, async ({ pageId }) => {
          const announced = await announcedWindow(this.client, pageId, effect.windowId);
          const isOver = announced === null || (announced.repeat === null && Date.parse(announced.from) <= Date.parse(effect.at));
          return isOver ? null : { ...announced, about: 'cancelled' };
        });
      case 'deleted':
        return removeSubscribersOf(this.client, effect.pageId);
    }
  }

  private async addIncident(
    cause: LogEvent,
    pageId: string,
    facts: Omit<Extract<StatusNotice, { about: 'incident' }>, 'about' | 'names'>,
    items: readonly string[],
  ): Promise<void> {
    const page = await this.views.get(statusPageView, pageId);
    if (page === null) return;
    const names = itemsOf(page.settings).flatMap(({ id, name }) => (items.includes(id) ? [name] : []));
    await addStatusNotice(this.client, { pageId, cause, facts: { about: 'incident', ...facts, names }, items }, this.clock.now());
  }

  /** Adds a notice of planned work in a project for each page that shows the project and may publish it. */
  private async addWork(
    cause: LogEvent,
    projectId: string,
    factsOn: (page: StatusPageRow) => Promise<Omit<Extract<StatusNotice, { windowId: string }>, 'names'> | null>,
  ): Promise<void> {
    this.pages ??= (await this.views.list(statusPageView, { parked: 'as before' })).map(({ row }) => row);
    const shown = this.pages.flatMap((page): readonly { page: StatusPageRow; items: readonly StatusItem[] }[] => {
      const items = itemsOf(page.settings).filter((item) => item.projectId === projectId);
      return items.length === 0 ? [] : [{ page, items }];
    });
    if (shown.length === 0) return;
    const project = (await this.views.many(projectView, [projectId], 'as before')).get(projectId);
    for (const { page, items } of shown.filter(({ page: { by } }) => mayPublish(project, by))) {
      const facts = await factsOn(page);
      if (facts === null) continue;
      const notice = {
        pageId: page.pageId,
        cause,
        facts: { ...facts, names: items.map(({ name }) => name) },
        items: items.map(({ id }) => id),
      };
      await addStatusNotice(this.client, notice, this.clock.now());
    }
  }
}
