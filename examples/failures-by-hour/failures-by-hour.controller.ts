import { Controller, Get, Inject, Param, Query } from '@nestjs/common';
import { Needs, project, ProjectionTables, systemReader } from 'watchledger/projection';
import failuresByHour from './failures-by-hour.projection.ts';

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

  /** `?asOf=` an instant, or a position of the log. */
  @Get('project/:id/failures-by-hour/then')
  @Needs(project('read'))
  async ofProjectThen(@Param('id') id: string, @Query('asOf') asOf: string): Promise<{ failures: readonly Failures[] }> {
    const then = await this.tables.asOf(asOf);
    const text = 'SELECT hour, location, times::int FROM failures ORDER BY hour, location';
    return { failures: await then.query<Failures>(failuresByHour, `project-${id}`, text) };
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
