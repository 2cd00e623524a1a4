import { Injectable } from '@nestjs/common';
import type { LogEvent } from '../kernel/event.ts';
import { projectStream, verdictStream } from '../kernel/stream-names.ts';
import { LogSearcher } from '../platform/log/search.ts';
import { ViewsAt } from '../platform/read-models/views/views.ts';
import type { FoundProblem, ProblemKind } from './problems.ts';

/** The events that say that something is wrong. */
const TYPES: Readonly<Record<ProblemKind, readonly string[]>> = {
  uptime: ['UptimeWentDown', 'UptimeFailureChanged'],
  check: ['CheckFailed', 'CheckFailureChanged'],
  certificate: ['CertificateSeen', 'CertificateLookFailed'],
  redirect: ['RedirectFailed', 'RedirectUnreachable'],
};

/** Those of them by which a failure begins. */
const BEGINNINGS: Readonly<Record<ProblemKind, readonly string[]>> = {
  uptime: ['UptimeWentDown'],
  check: ['CheckFailed'],
  certificate: ['CertificateExpiryApproached', 'CertificateExpired', 'CertificateDistrusted'],
  redirect: ['RedirectFailed'],
};

export interface ProblemEvent {
  readonly id: string;
  /** The reason why a site did not answer as it should. */
  readonly reason: string | null;
}

export interface Beginning {
  readonly event: LogEvent;
  readonly status: 'error' | 'timeout';
  /** It failed from its first measurement, of which nobody is alerted. */
  readonly isFirst: boolean;
}

/** Finds the event by which the service knows of a problem: the door to its evidence and its chain. */
@Injectable()
export class ProblemEvents {
  constructor(
    private readonly searcher: LogSearcher,
    private readonly views: ViewsAt,
  ) {}

  async of(projectId: string, problem: FoundProblem): Promise<ProblemEvent | null> {
    const event = await this.latest(projectId, problem, TYPES);
    if (event === null) return null;
    // Cast: only some of the types have evidence, and only some evidence a reason.
    const { evidence } = event.data as { readonly evidence?: { readonly reason?: string | null } };
    return { id: event.id, reason: evidence?.reason ?? null };
  }

  async beginning(projectId: string, problem: FoundProblem): Promise<Beginning | null> {
    const event = await this.latest(projectId, problem, BEGINNINGS);
    if (event === null) return null;
    // Cast: of a check, else of the uptime; the others have none of these.
    const data = event.data as { confirmed?: boolean; failing?: { status: string }; outcome?: string; before?: string };
    const status = (data.failing?.status ?? data.outcome) === 'timeout' ? 'timeout' : 'error';
    return { event, status, isFirst: data.confirmed === false || data.before === 'unknown' };
  }

  private async latest(projectId: string, { kind, check }: FoundProblem, types: typeof TYPES): Promise<LogEvent | null> {
    const [event] = await this.searcher.find({
      after: -1,
      before: this.views.now().position() + 1,
      scopes: [projectStream(projectId)],
      types: types[kind],
      stream: check === null ? null : verdictStream(check.id),
      actors: [],
      direction: 'desc',
      limit: 1,
    });
    return event ?? null;
  }
}
