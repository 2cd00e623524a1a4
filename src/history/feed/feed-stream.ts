import { Injectable } from '@nestjs/common';
import type { Principal } from '../../platform/http/context/principal.ts';
import { commentFrame, openingFrame } from '../../platform/http/presentation/answers.ts';
import type { PresentedEvent } from '../event.presenter.ts';
import type { FeedQuery } from './feed-query.ts';
import { FeedReading } from './feed-reading.ts';
import { FeedScopes, untilRecheck } from './feed-scopes.ts';

const PAGE = 200;
const COMMENT_MS = 15_000;

export interface StreamRequest extends Pick<FeedQuery, 'types' | 'scopes'> {
  readonly after: number;
  readonly principal: Principal;
  readonly signal: AbortSignal;
  readonly present: (event: PresentedEvent) => object;
}

/** The feed as server-sent events (HTML standard). A client that connects again resumes at the position in `id`. */
@Injectable()
export class FeedStream {
  constructor(
    private readonly reading: FeedReading,
    private readonly scopes: FeedScopes,
  ) {}

  async *frames({ types, scopes: asked, after, principal, signal, present }: StreamRequest): AsyncGenerator<string> {
    yield openingFrame;
    let writtenAt = performance.now();
    for (let [position, mayHaveCome] = [after, true]; !signal.aborted && !this.reading.isStopping;) {
      const scopes = await this.scopes.stillOf(principal, asked);
      if (scopes === undefined) return;
      const isCommentDue = performance.now() - writtenAt >= COMMENT_MS;
      if (mayHaveCome || isCommentDue) {
        const page = await this.reading.page({ types, scopes }, position, PAGE);
        ({ position } = page);
        if (page.events.length > 0 || isCommentDue) {
          writtenAt = performance.now();
          // The position alone, so that a client that connects again does not search what held nothing for it.
          if (page.events.length === 0) yield commentFrame.replace('\n', `\nid: ${String(position)}\n`);
          else yield page.events.map((event) => frameOf(event, present)).join('');
        }
        if (page.events.length > 0) continue;
      }
      mayHaveCome = await this.reading.wait({ types, scopes }, position, untilRecheck(performance.now()), signal);
    }
  }
}

const frameOf = (event: PresentedEvent, present: (event: PresentedEvent) => object): string =>
  `id: ${event.position}\nevent: ${event.type}\ndata: ${JSON.stringify(present(event))}\n\n`;
