import { Injectable } from '@nestjs/common';
import type { DestinationOwner } from './destination.commands.ts';
import { type DestinationFigures, PushStore } from './push-store.ts';
import { projectStream } from '../../kernel/stream-names.ts';
import { LogSearcher } from '../../platform/log/search.ts';
import { INSTALLATION } from '../../platform/read-models/authoring/define-view.ts';
import { type DestinationRow, destinationView, installationDestinationView, destinationTag } from './destination.view.ts';
import { ViewsAt } from '../../platform/read-models/views/views.ts';
import type { ShowTag } from '../../platform/http/context/decorators.ts';
import { NotFound } from '../../platform/http/errors/refusals.ts';
import { inUtc } from '../../platform/http/presentation/answers.ts';
import type { DestinationAnswer, destinationStatuses, ParkedAnswer } from './destination.api.ts';

const MOST_GAP = 1_000;

/** Destinations with how far they are. */
@Injectable()
export class DestinationReading {
  constructor(
    private readonly searcher: LogSearcher,
    private readonly store: PushStore,
    private readonly views: ViewsAt,
  ) {}

  async list(owner: DestinationOwner): Promise<readonly DestinationAnswer[]> {
    const rows = await this.rows(owner);
    const figures = await this.store.figures(rows.map(({ destinationId }) => destinationId));
    return Promise.all(rows.map((row) => this.present(owner, row, figures.get(row.destinationId))));
  }

  async row(owner: DestinationOwner, destinationId: string): Promise<DestinationRow> {
    const row = (await this.rows(owner)).find((one) => one.destinationId === destinationId);
    if (row === undefined) throw new NotFound('The destination was not found.');
    return row;
  }

  async read(owner: DestinationOwner, destinationId: string, show?: ShowTag): Promise<DestinationAnswer> {
    const row = await this.row(owner, destinationId);
    show?.(destinationTag(destinationId, row));
    return this.present(owner, row, (await this.store.figures([destinationId])).get(destinationId));
  }

  async parked(owner: DestinationOwner, destinationId: string): Promise<readonly ParkedAnswer[]> {
    await this.row(owner, destinationId);
    const rows = await this.store.parked(destinationId);
    return rows.map(({ scope, position, batchEnd, attempts, failingSince, parkedAt, lastAnswer }) => ({
      scope,
      position: String(position),
      batchEnd: String(batchEnd ?? position),
      attempts,
      failingSince: inUtc(failingSince?.getTime() ?? 0),
      parkedAt: inUtc(parkedAt?.getTime() ?? 0),
      answer: lastAnswer ?? '',
    }));
  }

  private async rows(owner: DestinationOwner): Promise<readonly DestinationRow[]> {
    const views = this.views.now();
    const row = owner === null ? await views.get(installationDestinationView, INSTALLATION) : await views.get(destinationView, owner);
    return row?.destinations ?? [];
  }

  private async present(
    owner: DestinationOwner,
    { destinationId: id, kind, name, host, filter, after, addedAt, paused }: DestinationRow,
    figures: DestinationFigures | undefined,
  ): Promise<DestinationAnswer> {
    const position = figures?.position ?? after;
    const scopes = owner === null ? filter.scopes : [projectStream(owner)];
    const backlog = await this.searcher.backlog({ after: position, scopes, types: filter.types }, MOST_GAP);
    const {
      retrying = 0,
      parked = 0,
      attempts = 0,
      failingSince = null,
      nextTry = null,
      lastAnswer = null,
      lastAnswerAt = null,
    } = figures ?? {};
    return {
      id,
      kind,
      name,
      host,
      types: filter.types,
      scopes: filter.scopes,
      addedAt: inUtc(addedAt),
      state: {
        status: statusOf(paused !== null, parked, retrying),
        paused: paused === null ? null : { reason: paused.reason, since: inUtc(paused.since) },
        position: String(position),
        gap: backlog.events,
        lagSeconds: backlog.since === null ? 0 : Math.max(0, Math.floor((Date.now() - backlog.since.getTime()) / 1000)),
        attempts,
        failingSince: instantOrNull(failingSince),
        nextAttempt: instantOrNull(nextTry),
        retrying,
        parked,
        lastAnswer,
        lastAnswerAt: instantOrNull(lastAnswerAt),
      },
    };
  }
}

const instantOrNull = (instant: Date | null): string | null => (instant === null ? null : inUtc(instant.getTime()));

function statusOf(isPaused: boolean, parked: number, retrying: number): (typeof destinationStatuses)[number] {
  if (isPaused) return 'paused';
  return parked > 0 ? 'parked' : retrying > 0 ? 'retrying' : 'active';
}
