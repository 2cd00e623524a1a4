import { Injectable } from '@nestjs/common';
import { type JobRow, jobView } from './job.view.ts';
import { ViewsAt } from '../../platform/read-models/views/views.ts';
import { unixSeconds } from '../../platform/http/presentation/answers.ts';
import { ListPage, type ListRequest, readSort } from '../../platform/http/lists/list.ts';
import { pageOfView } from '../../platform/read-models/views/view-page.ts';
import type { JobAnswer } from './job.api.ts';
import { projectStream } from '../../kernel/stream-names.ts';

/** Jobs that were started by request, the newest first. */
@Injectable()
export class JobList {
  constructor(private readonly views: ViewsAt) {}

  async page(projectId: string, { limit, sort, after }: ListRequest): Promise<ListPage> {
    const order = { by: 'order', direction: readSort(sort).direction } as const;
    const { items, end } = await pageOfView(this.views.now(), jobView, { scope: projectStream(projectId), order }, limit, after);
    return new ListPage({ jobs: items.map(({ row }) => presentJob(row)) }, end);
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
