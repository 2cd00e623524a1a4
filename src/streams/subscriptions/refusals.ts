import { DomainError } from '../../kernel/errors.ts';

export class SubscriptionNotFound extends DomainError {
  readonly code = 'SUBSCRIPTION_NOT_FOUND';

  constructor(name: string) {
    super(`You have no subscription ${name}.`);
  }
}

export class TooManySubscriptions extends DomainError {
  readonly code = 'TOO_MANY_SUBSCRIPTIONS';

  constructor(most: number) {
    super(`An account may have at most ${String(most)} subscriptions. Delete one first.`);
  }
}

export class TooManyParkedEvents extends DomainError {
  readonly code = 'TOO_MANY_PARKED_EVENTS';

  constructor(most: number) {
    super(`A subscription may have at most ${String(most)} parked events. Replay or delete some first.`);
  }
}

/** The log became shorter: it was restored to an earlier state, or is another one. */
export class SubscriptionBeyondLog extends DomainError {
  readonly code = 'SUBSCRIPTION_BEYOND_LOG';

  constructor(position: number, head: number) {
    super(
      `The subscription is at position ${String(position)}, beyond the end of the log, ${String(head)}. Reset it to a position of this log.`,
    );
  }
}

/** Other instances changed the subscription again and again meanwhile. */
export class SubscriptionBusy extends DomainError {
  readonly code = 'SUBSCRIPTION_BUSY';

  constructor(name: string) {
    super(`The subscription ${name} is being read too often at once. Retry shortly.`);
  }
}
