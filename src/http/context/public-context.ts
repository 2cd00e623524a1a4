import { Inject, Injectable } from '@nestjs/common';
import { ownContext } from '../../commands/context.ts';
import type { Place } from '../../event-store/event-store.ts';
import type { Actor } from '../../kernel/event.ts';
import { READS, type Reads } from '../idempotency/reads.ts';
import type { RequestContext } from './request-context.ts';

/** The context of a request that nobody signed: who acts is known from what it brings, such as a link's token. */
@Injectable()
export class PublicContext {
  constructor(@Inject(READS) private readonly reads: Reads) {}

  of(actor: Actor, now = Date.now()): RequestContext {
    const places: Place[] = [];
    const visible = async (): Promise<void> => {
      for (const place of places.splice(0)) await this.reads.show(place);
    };
    return { ...ownContext(actor, now, { wrote: (place) => places.push(place) }), visible };
  }
}
