import { Controller, Get, Headers, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { type Clock, systemClock } from '../../kernel/clock.ts';
import { joinFile } from './page/page-file.ts';
import { policyOf } from './page/render-page.ts';
import { RecordsAccess } from '../../accounts/accesses/records-access.ts';
import { CurrentProject, type ProjectAccess } from '../../projects/request-project.ts';
import { Needs } from '../../accounts/rights/needs.ts';
import { projectRight } from '../../accounts/rights/right.ts';
import { readStatementFormat, readStatementQuery } from './statement-query.ts';
import { StatementReading } from './statement-reading.ts';

/** An SLA report with its evidence, which its receiver computes again (docs/spec/beyond.md#B21). */
@RecordsAccess('statement')
@Controller('project/:id/statement')
export class StatementController {
  private readonly clock: Clock = systemClock;

  constructor(private readonly statements: StatementReading) {}

  @Get()
  @Needs(projectRight('read'))
  async read(
    @CurrentProject() { projectId, row }: ProjectAccess,
    @Query() query: Record<string, unknown>,
    @Headers('accept') accept: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string> {
    const format = readStatementFormat(query, accept);
    const { title, url } = row.settings;
    const file = await this.statements.read({ id: projectId, title, url }, row.createdAt, readStatementQuery(query, this.clock.now()));
    if (format === 'json') {
      void reply.type('application/json; charset=utf-8');
      return file.text;
    }
    // A page of the service has the rights of its origin unless it is sandboxed; the file itself needs its script alone.
    const policy = `${policyOf(file.page)}; frame-ancestors 'none'; sandbox allow-scripts`;
    void reply.type('text/html; charset=utf-8').header('content-security-policy', policy);
    return joinFile(file);
  }
}
