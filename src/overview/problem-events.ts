import { Injectable } from '@nestjs/common';
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

export interface ProblemEvent {
  readonly id: string;
  /** The reason why a site did not answer as it should. */
  readonly reason: string | null;
}

/** Finds the event by which the service knows of a problem: the door to its evidence and its chain. */
@Injectable()
export class ProblemEvents {
  constructor(
    private readonly searcher: LogSearcher,
    private readonly views: ViewsAt,
  ) {}

  async of(projectId: string, { kind, check }: FoundProblem): Promise<ProblemEvent | null> {
    const [event] = await this.searcher.find({
      after: -1,
      before: this.views.now().position() + 1,
      scopes: [projectStream(projectId)],
      types: TYPES[kind],
      stream: check === null ? null : verdictStream(check.id),
      actors: [],
      direction: 'desc',
      limit: 1,
    });
    if (event === undefined) return null;
    // Cast: only some of the types have evidence, and only some evidence a reason.
    const { evidence } = event.data as { readonly evidence?: { readonly reason?: string | null } };
    return { id: event.id, reason: evidence?.reason ?? null };
  }
}
