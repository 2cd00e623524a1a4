import { Readable } from 'node:stream';
import { Controller, Get, Headers, Inject, Param, Query, StreamableFile } from '@nestjs/common';
import { UUID_PATTERN } from '../../kernel/ids.ts';
import { NotFound } from '../errors/refusals.ts';
import { readHistoryQuery } from './history-query.ts';
import { HistoryReading } from './history-reading.ts';
import { csvOf, ndjsonOf } from './tables.ts';
import { Needs } from '../rights/needs.ts';
import { projectRight, systemReader } from '../rights/right.ts';
import { projectStream } from '../../domain/stream-names.ts';

type QueryParameters = Record<string, unknown>;

/** The history of events and their chains (docs/spec/beyond.md#B2, #B4). */
@Controller()
export class HistoryController {
  constructor(@Inject(HistoryReading) private readonly reading: HistoryReading) {}

  @Get('project/:id/history')
  @Needs(projectRight('read', { afterDeletion: true }))
  async ofProject(@Param('id') projectId: string, @Query() given: QueryParameters, @Headers('accept') accept = ''): Promise<object> {
    const scope = projectStream(projectId);
    const answer = await this.answer(given, accept, scope);
    if (answer instanceof StreamableFile) return answer;
    const deletedAt = await this.reading.deletedAt(scope);
    return deletedAt === null ? answer : { ...answer, deletedAt };
  }

  @Get('history')
  @Needs(systemReader)
  ofAll(@Query() given: QueryParameters, @Headers('accept') accept = ''): Promise<object> {
    return this.answer(given, accept, null);
  }

  @Get('project/:id/history/:eventId/chain')
  @Needs(projectRight('read', { afterDeletion: true }))
  async chain(@Param('id') projectId: string, @Param('eventId') eventId: string): Promise<object> {
    const events = UUID_PATTERN.test(eventId) ? await this.reading.chain(projectStream(projectId), eventId) : null;
    if (events === null) throw new NotFound();
    return { events };
  }

  private async answer(given: QueryParameters, accept: string, scope: string | null): Promise<object> {
    const query = readHistoryQuery(given, accept, scope);
    if (query.format === 'json') return this.reading.page(query, scope);
    const batches = this.reading.batches(query, scope);
    const csv = query.format === 'csv';
    return new StreamableFile(Readable.from(csv ? csvOf(batches) : ndjsonOf(batches), { objectMode: false }), {
      type: csv ? 'text/csv; charset=utf-8' : 'application/x-ndjson; charset=utf-8',
      disposition: `attachment; filename="history.${csv ? 'csv' : 'ndjson'}"`,
    });
  }
}
