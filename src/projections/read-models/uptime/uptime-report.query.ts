import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { type ReportRequest, type UptimeTotals, uptimeTotals } from '../../../domain/uptime/report.ts';
import { SAMPLE_STORE, type SampleReader } from '../../../observations/samples/sample-store.ts';
import { VIEWS_AT, type ViewsAt } from '../../views/views.ts';
import { KnownUptime, KnownUptimeHandler } from './known-uptime.query.ts';

/** docs/spec/decisions.md#J13. */
export class UptimeReport extends Query<UptimeTotals> {
  constructor(
    readonly projectId: string,
    readonly request: ReportRequest,
  ) {
    super();
  }
}

@QueryHandler(UptimeReport)
export class UptimeReportHandler implements IQueryHandler<UptimeReport> {
  private readonly known: KnownUptimeHandler;

  constructor(@Inject(VIEWS_AT) views: ViewsAt, @Inject(SAMPLE_STORE) samples: SampleReader) {
    this.known = new KnownUptimeHandler(views, samples);
  }

  async execute({ projectId, request }: UptimeReport): Promise<UptimeTotals> {
    return uptimeTotals(await this.known.execute(new KnownUptime(projectId, request)), request);
  }
}
