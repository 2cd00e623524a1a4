import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../../platform/config/config.ts';
import { payerOf, type Principal } from '../../platform/http/context/principal.ts';
import { BudgetSpent } from '../../platform/http/errors/refusals.ts';
import { AccountBudgets, BUDGET_METER, type BudgetMeter } from './account-budgets.ts';

/** Live streams of one project, and of the feed, with one token. */
export const MAX_PER_TOKEN_AND_PROJECT = 5;
/** Consumers of a subscription that wait at once. */
const MAX_PER_SUBSCRIPTION = 20;
/** The part of `MAX_CONNECTIONS` that streams may hold, so that requests get through beside them. */
const SHARE = 0.5;
const RETRY_SECONDS = 10;

/** Ends the use of a place; calling it again changes nothing. */
export type Release = () => void;

/** Bounds the answers that stay open: live streams and followed jobs, per instance, because they hold its file handles (docs/spec/decisions.md#A12). */
@Injectable()
export class StreamBudget {
  private readonly open = new Map<string, number>();

  constructor(
    private readonly budgets: AccountBudgets,
    @Inject(CONFIG) private readonly config: Pick<Config, 'maxConnections'>,
    @Inject(BUDGET_METER) meter: BudgetMeter,
  ) {
    meter.streams(() => this.countOf(ALL));
  }

  ofAccount(userId: number): number {
    return this.countOf(accountKey(userId));
  }

  /** A live stream of a project. */
  openLive(principal: Principal, projectId: string): Release {
    return this.take(principal, [
      [`token ${principal.tokenId} ${projectId}`, MAX_PER_TOKEN_AND_PROJECT, 'Your token has too many live streams of this project open.'],
    ]);
  }

  /** A request to the feed that waits for events. */
  openFeed(principal: Principal): Release {
    return this.take(principal, [
      [`token ${principal.tokenId} feed`, MAX_PER_TOKEN_AND_PROJECT, 'Your token follows the feed too many times at once.'],
    ]);
  }

  /** A consumer that waits for the next event of a subscription. */
  openSubscription(principal: Principal, name: string): Release {
    return this.take(principal, [
      [`subscription ${String(principal.userId)} ${name}`, MAX_PER_SUBSCRIPTION, 'Too many consumers of this subscription wait at once.'],
    ]);
  }

  /** A start whose answer waits for the end of its job. */
  openJob(principal: Principal): Release {
    return this.take(principal, []);
  }

  private take(principal: Principal, more: readonly (readonly [string, number, string])[]): Release {
    const { liveStreams } = this.budgets.of(principal.plan);
    const limits = [
      ...more,
      [accountKey(payerOf(principal)), liveStreams ?? Infinity, 'This account has too many live streams and followed jobs open.'] as const,
      [ALL, Math.floor(this.config.maxConnections * SHARE), 'Too many live streams are open here.'] as const,
    ];
    for (const [key, limit, message] of limits)
      if (this.countOf(key) >= limit) throw new BudgetSpent('streams', `${message} Close one, or retry later.`, RETRY_SECONDS);
    const keys = limits.map(([key]) => key);
    for (const key of keys) this.open.set(key, this.countOf(key) + 1);
    return () => {
      for (const key of keys.splice(0)) {
        const left = this.countOf(key) - 1;
        if (left > 0) this.open.set(key, left);
        else this.open.delete(key);
      }
    };
  }

  private countOf(key: string): number {
    return this.open.get(key) ?? 0;
  }
}

const ALL = 'all';
const accountKey = (userId: number): string => `account ${String(userId)}`;
