import { Controller, Get, Inject, Query } from '@nestjs/common';
import { CONFIG, type Config } from '../../platform/config/config.ts';
import type { CheckRow } from '../../projects/checks/check.view.ts';
import { requestedInstant, requestNow } from '../../platform/http/as-of/as-of.ts';
import { CurrentList } from '../../platform/http/context/decorators.ts';
import { CurrentCheck, CurrentProject, type ProjectAccess } from '../../projects/request-project.ts';
import type { ListPage, ListRequest } from '../../platform/http/lists/list.ts';
import { readResultsQuery, TestResults } from './test-results.ts';
import { Needs } from '../../accounts/rights/needs.ts';
import { projectRight } from '../../accounts/rights/right.ts';
import { DAY_MS } from '../../kernel/time.ts';

/** docs/spec/decisions.md#more-paths-that-clients-expect. */
@Controller()
export class TestResultsController {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly reading: TestResults,
  ) {}

  @Get(['test/:id/results', 'tests/:id/results'])
  @Needs(projectRight('read'))
  results(
    @CurrentProject() { projectId }: ProjectAccess,
    @CurrentCheck() check: CheckRow,
    @Query() query: Record<string, unknown>,
    @CurrentList() list: ListRequest,
  ): Promise<ListPage> {
    const asked = readResultsQuery(query, list, requestNow(), this.config.retentionDays * DAY_MS);
    return this.reading.page(projectId, check, { ...asked, recordedUntil: requestedInstant() });
  }
}
