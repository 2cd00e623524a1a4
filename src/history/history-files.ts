import { Readable } from 'node:stream';
import { Injectable, StreamableFile } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { ConcurrencyLimit } from '../kernel/concurrency-limit.ts';
import { payerOf, type Principal } from '../platform/http/context/principal.ts';
import { whenClosed } from '../platform/http/context/disconnect-signal.ts';

/** Files that are written at a time, by all accounts together and by each. */
const [MOST, MOST_OF_ACCOUNT, MOST_WAITING] = [16, 2, 128];

export interface HistoryFile {
  readonly name: string;
  readonly type: string;
  /** In pages. Each is made once the one before was taken; none after the client has left. */
  readonly chunks: AsyncIterable<string>;
}

/** Answers whole histories as files, however long they are (docs/spec/beyond.md#B2). */
@Injectable()
export class HistoryFiles {
  private readonly limit = new ConcurrencyLimit(MOST, {
    maxPerAccount: MOST_OF_ACCOUNT,
    maxQueue: MOST_WAITING,
    shares: 'permits and queue',
  });
  /** Pages are made on the shared thread: one at a time over all accounts, so that another request waits for one at most. */
  private readonly pages = new ConcurrencyLimit(1);

  /** Once the account writes fewer than two others. Throws `QueueFull`. */
  async answer({ name, type, chunks }: HistoryFile, caller: Principal, reply: FastifyReply): Promise<StreamableFile> {
    const account = payerOf(caller);
    const release = await this.limit.acquire({ account });
    // Also of a client that has left meanwhile, for which no chunk is made.
    whenClosed(reply, release);
    return new StreamableFile(Readable.from(this.inTurn(chunks, account), { objectMode: false }), {
      type: `${type}; charset=utf-8`,
      disposition: `attachment; filename="${name}"`,
    });
  }

  private async *inTurn(chunks: AsyncIterable<string>, account: number): AsyncGenerator<string> {
    const pages = chunks[Symbol.asyncIterator]();
    try {
      for (;;) {
        const page = await this.pages.run(() => pages.next(), { account });
        if (page.done === true) return;
        yield page.value;
      }
    } finally {
      await pages.return?.();
    }
  }
}
