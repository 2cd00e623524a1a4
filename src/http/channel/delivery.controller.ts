import { Controller, Get, HttpCode, Inject, Param, Post, Query } from '@nestjs/common';
import { type Delivery, type DeliveryState, DeliveryStore, NOTIFICATIONS } from '../../delivery/outbox/delivery-store.ts';
import { WAKE, type Wake } from '../../persistence/wake.ts';
import { InvalidInput } from '../../kernel/errors.ts';
import { CurrentPrincipal } from '../context/decorators.ts';
import type { Principal } from '../context/principal.ts';
import { NotFound } from '../errors/refusals.ts';
import { inUtc, success } from '../presentation/answers.ts';
import { Needs } from '../rights/needs.ts';
import { accountRight } from '../rights/right.ts';
import type { DeliveryListAnswer } from './channel.description.ts';

const statuses = { waiting: 'due', delivered: 'delivered', failed: 'failed' } as const satisfies Record<string, DeliveryState>;
const statusOfState: Readonly<Record<DeliveryState, keyof typeof statuses>> = { due: 'waiting', delivered: 'delivered', failed: 'failed' };

const PAGE = 100;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The deliveries of messages to the caller. */
@Controller('account/deliveries')
export class DeliveryController {
  constructor(
    @Inject(DeliveryStore) private readonly deliveries: DeliveryStore,
    @Inject(WAKE) private readonly wake: Wake,
  ) {}

  @Get()
  @Needs(accountRight)
  async list(@CurrentPrincipal() { userId }: Principal, @Query('status') status?: unknown): Promise<object> {
    const found = await this.deliveries.ofUser(userId, readState(status), PAGE);
    return { deliveries: found.map(present) };
  }

  /** Retries an abandoned delivery for another day; no effect on others. */
  @Post(':id/retry')
  @Needs(accountRight)
  @HttpCode(200)
  async retry(@CurrentPrincipal() { userId }: Principal, @Param('id') id: string): Promise<object> {
    if (!UUID.test(id) || !(await this.deliveries.retry(userId, id))) throw new NotFound('The delivery was not found.');
    this.wake.ring(NOTIFICATIONS);
    return success;
  }
}

function readState(status: unknown): DeliveryState | null {
  if (status === undefined || status === '') return null;
  if (typeof status !== 'string' || !Object.hasOwn(statuses, status))
    throw new InvalidInput(`status: must be one of ${Object.keys(statuses).join(', ')}`);
  return statuses[status as keyof typeof statuses];
}

const present = ({
  id,
  projectId,
  channel,
  kind,
  state,
  attempts,
  lastAnswer,
  createdAt,
  nextTry,
  finishedAt,
}: Delivery): DeliveryListAnswer['deliveries'][number] => ({
  id,
  projectId: projectId === '' ? null : projectId,
  channel,
  kind,
  status: statusOfState[state],
  attempts,
  answer: lastAnswer,
  createdAt: inUtc(createdAt.getTime()),
  nextTry: state === 'due' ? inUtc(nextTry.getTime()) : null,
  finishedAt: finishedAt === null ? null : inUtc(finishedAt.getTime()),
});
