import { Controller, Get, Inject, Param } from '@nestjs/common';
import { Needs, project, ProjectionTables, systemReader } from 'watchledger/projection';

interface Failures {
  readonly hour: number;
  readonly location: string;
  readonly times: number;
}

/** Every route states the right that it needs; a route without one is closed. */
@Controller()
export class FailuresByHourController {
  constructor(@Inject(ProjectionTables) private readonly tables: ProjectionTables) {}

  @Get('project/:id/failures-by-hour')
  @Needs(project('read'))
  async ofProject(@Param('id') id: string): Promise<{ failures: readonly Failures[] }> {
    return {
      failures: await this.tables.query<Failures>(
        'SELECT hour, location, times::int FROM p_failures_by_hour.failures WHERE project = $1 ORDER BY hour, location',
        [id],
      ),
    };
  }

  @Get('failures-by-hour')
  @Needs(systemReader)
  async ofAll(): Promise<{ failures: readonly Failures[] }> {
    return {
      failures: await this.tables.query<Failures>(
        'SELECT hour, location, sum(times)::int AS times FROM p_failures_by_hour.failures GROUP BY hour, location ORDER BY hour, location',
      ),
    };
  }
}
