import type { Abstract, Type } from '@nestjs/common';
import type { Logger } from 'pino';
import type { LogEvent } from '../../kernel/event.ts';
import type { Leases } from '../postgres/leases.ts';

/** What the loops of a capability are opened with, besides what their parts need. */
export interface LoopParts {
  readonly logger: Logger;
  readonly leases: Pick<Leases, 'hold'>;
  /** Asks the container, which makes each store once. */
  readonly get: <T>(token: Type<T> | Abstract<T> | symbol) => T;
}

export const reportRetry =
  (logger: Logger, what: string) =>
  (error: unknown): void => {
    logger.warn({ err: error }, `${what}; trying again`);
  };

export const reportParked =
  (consumer: string, logger: Logger) =>
  ({ id: eventId, type, scope }: LogEvent, error: unknown): void => {
    logger.warn({ err: error, consumer, eventId, type, scope }, 'event could not be handled; its project or account is parked');
  };
