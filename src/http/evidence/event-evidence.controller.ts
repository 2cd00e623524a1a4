import { Controller, Get, Header, Inject, Param, StreamableFile } from '@nestjs/common';
import { Needs } from '../rights/needs.ts';
import { projectRight } from '../rights/right.ts';
import type { EvidenceAnswer } from './evidence.description.ts';
import { presentEvidence } from './evidence.presenter.ts';
import { EvidenceReading } from './evidence-reading.ts';
import { charsetIn } from './page-charset.ts';

/** What a verdict, or another finding about a site, rests on (docs/spec/beyond.md#B18). */
@Controller('project/:id/history/:eventId/evidence')
@Needs(projectRight('evidence', { afterDeletion: true }))
export class EventEvidenceController {
  constructor(@Inject(EvidenceReading) private readonly reading: EvidenceReading) {}

  @Get()
  @Header('cache-control', 'no-store')
  async evidence(@Param('id') projectId: string, @Param('eventId') eventId: string): Promise<EvidenceAnswer> {
    const found = await this.reading.find(projectId, eventId);
    return presentEvidence(found, await this.reading.isPageKept(found));
  }

  /** A foreign page on our origin: it is never rendered, nor run. */
  @Get('page')
  @Header('cache-control', 'no-store')
  @Header('x-content-type-options', 'nosniff')
  @Header('content-security-policy', 'sandbox')
  async page(@Param('id') projectId: string, @Param('eventId') eventId: string): Promise<StreamableFile> {
    const found = await this.reading.find(projectId, eventId);
    const bytes = await this.reading.page(found);
    return new StreamableFile(bytes, {
      type: `text/plain; charset=${charsetIn(bytes, found.exchange)}`,
      disposition: `attachment; filename="${eventId}.txt"`,
      length: bytes.length,
    });
  }
}
