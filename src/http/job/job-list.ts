import { Inject, Injectable } from '@nestjs/common';
import { type JobRow, jobView } from '../../projections/read-models/job/job.view.ts';
import { type ListPosition, listPositionOf, VIEWS_AT, type ViewsAt } from '../../projections/views/views.ts';
import { unixSeconds } from '../presentation/answers.ts';
import { decodeCursor, encodeCursor } from '../presentation/page.ts';
import type { ListJobsDto } from './list-jobs.dto.ts';
import type { JobAnswer } from './job.description.ts';
import { projectStream } from '../../domain/stream-names.ts';

const newestFirst = { by: 'order', direction: 'desc' } as const;

/** Jobs that were started by request, the newest first. */
@Injectable()
export class JobList {
  constructor(@Inject(VIEWS_AT) private readonly views: ViewsAt) {}

  async page(
    projectId: string,
    { limit, cursor }: ListJobsDto,
  ): Promise<{ readonly jobs: readonly object[]; readonly nextCursor: string | null }> {
    const items = await this.views.now().list(jobView, {
      scope: projectStream(projectId),
      order: newestFirst,
      limit: limit + 1,
      ...(cursor === undefined ? {} : { after: decodeCursor(cursor, readPosition) }),
    });
    const page = items.slice(0, limit);
    const last = page.at(-1);
    return {
      jobs: page.map(({ row }) => presentJob(row)),
      nextCursor: items.length > limit && last !== undefined ? encodeCursor(listPositionOf(jobView, last, newestFirst)) : null,
    };
  }
}

const presentJob = ({ request, requestedAt, end }: JobRow): JobAnswer => ({
  jobId: request.jobId,
  total: request.checkIds.length,
  failed: end?.failed ?? 0,
  processed: end !== null,
  givenUp: end?.because === 'given up',
  persist: true,
  startedAt: unixSeconds(end?.startedAt ?? requestedAt),
  duration: (end?.milliseconds ?? 0) / 1000,
  mode: request.mode,
  areas: request.areaIds,
});

function readPosition(value: unknown): ListPosition | null {
  if (typeof value !== 'object' || value === null || !('key' in value) || !('value' in value)) return null;
  return typeof value.key === 'string' && typeof value.value === 'number' && Number.isSafeInteger(value.value)
    ? { key: value.key, value: value.value }
    : null;
}
