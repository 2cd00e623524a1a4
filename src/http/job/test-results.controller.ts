import { Controller, Get, Inject, Query } from '@nestjs/common';
import { CONFIG, type Config } from '../../config.ts';
import type { CheckRow } from '../../projections/read-models/check/check.view.ts';
import { requestedInstant, requestNow } from '../as-of/as-of.ts';
import { CurrentCheck, CurrentList, CurrentProject } from '../context/decorators.ts';
import type { ProjectAccess } from '../context/request-state.ts';
import type { ListPage, ListRequest } from '../lists/list.ts';
import { readResultsQuery, TestResults } from './test-results.ts';
import { Needs } from '../rights/needs.ts';
import { projectRight } from '../rights/right.ts';

const DAY = 86_400_000;

/** docs/spec/decisions.md#more-paths-that-clients-expect. */
@Controller()
export class TestResultsController {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    @Inject(TestResults) private readonly reading: TestResults,
  ) {}

  @Get(['test/:id/results', 'tests/:id/results'])
  @Needs(projectRight('read'))
  results(
    @CurrentProject() { projectId }: ProjectAccess,
    @CurrentCheck() check: CheckRow,
    @Query() query: Record<string, unknown>,
    @CurrentList() list: ListRequest,
  ): Promise<ListPage> {
    const asked = readResultsQuery(query, list, requestNow(), this.config.retentionDays * DAY);
    return this.reading.page(projectId, check, { ...asked, recordedUntil: requestedInstant() });
  }
}
