import { EventEmitter } from 'node:events';
import { text } from 'node:stream/consumers';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import type { FastifyReply } from 'fastify';
import type { Principal } from '../platform/http/context/principal.ts';
import { HistoryFiles } from './history-files.ts';

// Casts: only these members are read.
const callerOf = (userId: number): Principal => ({ userId }) as Principal;
const reply = (): FastifyReply => ({ raw: Object.assign(new EventEmitter(), { closed: false }) }) as unknown as FastifyReply;

describe('files of histories', () => {
  it('are made one page at a time over all accounts', async () => {
    let [making, most] = [0, 0];
    async function* chunks(): AsyncGenerator<string> {
      for (let page = 0; page < 5; page++) {
        most = Math.max(most, ++making);
        await setImmediate();
        making--;
        yield `${String(page)}\n`;
      }
    }
    const files = new HistoryFiles();
    const answers = [1, 1, 2, 3].map((account) =>
      files.answer({ name: 'history.ndjson', type: 'application/x-ndjson', chunks: chunks() }, callerOf(account), reply()),
    );
    const read = await Promise.all(answers.map(async (answer) => text((await answer).getStream())));
    expect([new Set(read), most]).toEqual([new Set(['0\n1\n2\n3\n4\n']), 1]);
  });

  it('end with their reader, and let the others go on', async () => {
    let [pages, isEnded] = [0, false];
    async function* endless(): AsyncGenerator<string> {
      try {
        for (;;) yield await setImmediate(`${String(pages++)}\n`);
      } finally {
        isEnded = true;
      }
    }
    const files = new HistoryFiles();
    const file = (chunks: AsyncIterable<string>): ReturnType<HistoryFiles['answer']> =>
      files.answer({ name: 'history.csv', type: 'text/csv', chunks }, callerOf(1), reply());
    const left = (await file(endless())).getStream();
    left.once('readable', () => left.destroy());
    const closed = new Promise((resolve) => left.once('close', resolve));
    await closed;
    async function* short(): AsyncGenerator<string> {
      yield await setImmediate('last');
    }
    expect([await text((await file(short())).getStream()), isEnded]).toEqual(['last', true]);
    const made = pages;
    await setImmediate();
    expect(pages).toBe(made);
  });
});
