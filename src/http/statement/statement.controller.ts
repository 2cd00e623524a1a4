import { Controller, Get, Header, Inject, Query } from '@nestjs/common';
import { type Clock, systemClock } from '../../kernel/clock.ts';
import { InvalidInput } from '../../kernel/errors.ts';
import { RecordsAccess } from '../accesses/records-access.ts';
import { CurrentProject } from '../context/decorators.ts';
import type { ProjectAccess } from '../context/request-state.ts';
import { Needs } from '../rights/needs.ts';
import { projectRight } from '../rights/right.ts';
import { readStatementQuery } from './statement-query.ts';
import { StatementReading } from './statement-reading.ts';

/** An SLA report with its evidence, which its receiver computes again (docs/spec/beyond.md#B21). */
@RecordsAccess('statement')
@Controller('project/:id/statement')
export class StatementController {
  private readonly clock: Clock = systemClock;

  constructor(@Inject(StatementReading) private readonly statements: StatementReading) {}

  @Get()
  @Needs(projectRight('read'))
  @Header('content-type', 'application/json; charset=utf-8')
  @Header('cache-control', 'no-store')
  async read(@CurrentProject() { projectId, row }: ProjectAccess, @Query() query: Record<string, unknown>): Promise<string> {
    const { format = 'json' } = query;
    if (format !== 'json') throw new InvalidInput('format: must be json', { allowed: ['json'] });
    const { title, url } = row.settings;
    return this.statements.read({ id: projectId, title, url }, row.createdAt, readStatementQuery(query, this.clock.now()));
  }
}
