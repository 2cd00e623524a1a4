import { Injectable } from '@nestjs/common';
import { projectStream } from '../../kernel/stream-names.ts';
import type { LogEvent } from '../../kernel/event.ts';
import { UUID_PATTERN } from '../../kernel/ids.ts';
import { Log } from '../../platform/log/log.ts';
import { ExchangeStore, type KeptExchange } from '../../platform/observations/exchanges/exchange-store.ts';
import { KeptPages } from '../../platform/observations/pages/kept-pages.ts';
import { EvidenceExpired, NotFound } from '../../platform/http/errors/refusals.ts';
import { HistoryReading } from '../../history/history-reading.ts';
import { evidenceReference } from '../../checker/evidence/evidence-reference.ts';

export interface FoundEvidence extends KeptExchange {
  readonly projectId: string;
  readonly event: LogEvent;
  readonly sha256: string;
}

/** Reads what an event rests on. */
@Injectable()
export class EvidenceReading {
  constructor(
    private readonly history: HistoryReading,
    private readonly log: Log,
    private readonly exchanges: ExchangeStore,
    private readonly pages: KeptPages,
  ) {}

  /** Throws `NotFound` for an unknown event and one without evidence, `EvidenceExpired` past its retention. */
  async find(projectId: string, eventId: string): Promise<FoundEvidence> {
    const event = await this.event(projectId, eventId);
    const reference = event === null ? null : evidenceReference(event);
    if (event === null) throw new NotFound();
    if (reference === null) throw new NotFound(`An event of the type ${event.type} rests on no exchange with the site.`);
    const { exchange: sha256, page } = reference;
    const kept = sha256 === null ? null : await this.exchanges.read(projectId, sha256);
    if (sha256 === null || kept === null) throw new EvidenceExpired('The exchange', { exchange: sha256, page });
    return { projectId, event, sha256, ...kept };
  }

  /** Throws `NotFound` where no page was kept with the event, `EvidenceExpired` where it has been trimmed. */
  async page({ projectId, exchange, sha256, page }: FoundEvidence): Promise<Buffer> {
    if (page === null) throw new NotFound('No page was kept with this event.');
    const bytes = await this.pages.read(projectId, page);
    if (bytes === null) throw new EvidenceExpired('The page', { exchange: sha256, page: exchange.answer?.page ?? page });
    return bytes;
  }

  /** Null when no page is kept. */
  async keptPage({ projectId, page }: FoundEvidence): Promise<Buffer | null> {
    return page === null ? null : this.pages.read(projectId, page);
  }

  private async event(projectId: string, eventId: string): Promise<LogEvent | null> {
    const n = UUID_PATTERN.test(eventId) ? await this.history.positionOf(projectStream(projectId), eventId) : null;
    if (n === null) return null;
    const [event] = await this.log.read({ after: n - 1, until: n, limit: 1 });
    return event ?? null;
  }
}
