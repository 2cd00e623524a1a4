import { Injectable } from '@nestjs/common';
import { KeptAnswers } from '../../platform/observations/pages/kept-answers.ts';
import { NotFound } from '../../platform/http/errors/refusals.ts';
import { TrialService } from '../../checker/trial/trial.service.ts';
import type { FoundEvidence } from './evidence-reading.ts';
import { contentTypeOf } from '../../checker/evidence/judged-exchange.ts';

/** Compares the page of an event with the last one that passed. */
@Injectable()
export class PageComparer {
  constructor(
    private readonly answers: KeptAnswers,
    private readonly trials: TrialService,
  ) {}

  /** A unified diff, in a worker thread. Throws `NotFound` where no page that passed is kept. */
  async withPassing({ projectId, exchange }: FoundEvidence, body: Uint8Array, account: number): Promise<string> {
    const { checkId, at, answer } = exchange;
    const passing = checkId === null ? null : await this.answers.lastPassing({ projectId, checkId }, Date.parse(at));
    const page = passing === null ? null : await this.answers.page(projectId, passing.page);
    if (passing === null || page === null) throw new NotFound('No earlier page of the test that passed is kept.');
    const { headers, cut } = passing.head;
    const before = { name: `passing ${new Date(passing.at).toISOString()} sha256:${passing.page}`, body: page, cut };
    const after = { name: `event ${at} sha256:${answer?.page ?? ''}`, body, cut: answer?.cut ?? false };
    return this.trials.compare(
      { ...before, contentType: contentTypeOf(headers) },
      { ...after, contentType: contentTypeOf(answer?.headers) },
      account,
    );
  }
}
