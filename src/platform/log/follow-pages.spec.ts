import { beforeEach, describe, expect, it } from '@jest/globals';
import { sampleEvents } from '../../../test/support/sealed-log.ts';
import { until } from '../../../test/support/until.ts';
import { type LogQuery, LogReplaced } from './log.ts';
import { LocalWake } from '../postgres/wake.ts';
import type { LogEvent } from '../../kernel/event.ts';
import { derivedId } from '../../kernel/ids.ts';
import { followPages } from './postgres-log.ts';

const EVENTS = sampleEvents(40);

let wake: LocalWake;
let log: readonly LogEvent[];
let looks: number;
beforeEach(() => {
  wake = new LocalWake();
  log = EVENTS.slice(0, 10);
  looks = 0;
});

/** The events that a subscription delivered, and how it ended. */
class Follower {
  readonly heard: number[] = [];
  failure: unknown = null;
  private readonly over = new AbortController();
  private readonly following: Promise<void>;

  constructor(after: number, limit = 4) {
    this.following = this.follow(after, limit);
  }

  async end(): Promise<void> {
    this.over.abort();
    await this.following;
  }

  private async follow(after: number, limit: number): Promise<void> {
    try {
      for await (const page of followPages(read, wake.bell('log'), after, this.over.signal, limit)) {
        expect(page.length).toBeLessThanOrEqual(limit);
        this.heard.push(...page.map(({ n }) => n));
      }
    } catch (error) {
      this.failure = error;
    }
  }
}

function read({ after, limit }: LogQuery): Promise<readonly LogEvent[]> {
  looks++;
  return Promise.resolve(log.filter(({ n }) => n > after).slice(0, limit));
}

const from = (first: number, last: number): number[] => Array.from({ length: last - first + 1 }, (_, at) => first + at);
const hears = (follower: Follower, numbers: readonly number[]) =>
  until(() => Promise.resolve(follower.heard.length >= numbers.length || follower.failure !== null), 10_000, 'it hears all');

/** Resolves after a read of the log that began after the call. */
async function looked(): Promise<void> {
  const before = looks;
  const isRead = (): Promise<boolean> => {
    wake.ring('log');
    return Promise.resolve(looks > before + 1);
  };
  await until(isRead, 10_000, 'it looks');
}

/** Replaces the history from `n` on. */
const others = (first: number, count: number): readonly LogEvent[] => [
  ...EVENTS.slice(0, first),
  ...EVENTS.slice(first, first + count).map((event) => ({ ...event, id: derivedId('other', event.n) })),
];

describe('following the log', () => {
  it.each([-1, 0, 3, 4, 8, 9])('after %s delivers each event once, in order, from catching up to live', async (after) => {
    const follower = new Follower(after);
    await hears(follower, from(after + 1, 9));
    log = EVENTS;
    wake.ring('log');
    await hears(follower, from(after + 1, 39));
    await follower.end();
    expect([follower.heard, follower.failure]).toEqual([from(after + 1, 39), null]);
  });

  it('waits while the end of the log is missing, then continues behind it', async () => {
    const follower = new Follower(-1);
    await hears(follower, from(0, 9));
    for (const length of [6, 8, 10, 14]) {
      log = EVENTS.slice(0, length);
      await looked();
    }
    await hears(follower, from(0, 13));
    await follower.end();
    expect([follower.heard, follower.failure]).toEqual([from(0, 13), null]);
  });

  it.each([1, 4, 5, 20])('fails when the log holds another history at a position already read, %s events long', async (more) => {
    const follower = new Follower(-1);
    await hears(follower, from(0, 9));
    log = others(6, 3);
    await looked();
    expect(follower.failure).toBeNull();
    log = others(6, 3 + more);
    wake.ring('log');
    await until(() => Promise.resolve(follower.failure !== null), 10_000, 'it ends');
    expect(follower.failure).toBeInstanceOf(LogReplaced);
    expect(follower.heard).toEqual(from(0, 9));
  });

  it('fails on a replaced history also if it started at the end and read nothing yet', async () => {
    const follower = new Follower(9);
    await looked();
    log = others(6, 10);
    wake.ring('log');
    await until(() => Promise.resolve(follower.failure !== null), 10_000, 'it ends');
    expect([follower.heard, follower.failure]).toEqual([[], expect.any(LogReplaced)]);
  });

  it('fails at a gap in the log', async () => {
    log = EVENTS.filter(({ n }) => n !== 5);
    const follower = new Follower(-1);
    await until(() => Promise.resolve(follower.failure !== null), 10_000, 'it ends');
    expect(String(follower.failure)).toMatch(/gap in the log: an event before 8 is missing/);
    expect(follower.heard).toEqual(from(0, 3));
  });
});
