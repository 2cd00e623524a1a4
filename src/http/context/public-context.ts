import { Inject, Injectable } from '@nestjs/common';
import { ownContext } from '../../commands/context.ts';
import type { Actor } from '../../kernel/event.ts';
import { READS, type Reads } from '../idempotency/reads.ts';
import type { RequestContext } from './request-context.ts';
import { requestWrites } from './request-writes.ts';

/** The context of a request that nobody signed: who acts is known from what it brings, such as a link's token. */
@Injectable()
export class PublicContext {
  constructor(@Inject(READS) private readonly reads: Reads) {}

  of(actor: Actor, now = Date.now()): RequestContext {
    return { ...ownContext(actor, now), ...requestWrites(this.reads) };
  }
}
