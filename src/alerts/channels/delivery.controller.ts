import { Controller, Get, HttpCode, Param, Post } from '@nestjs/common';
import {
  type Delivery,
  type DeliveryPosition,
  type DeliveryState,
  DeliveryStore,
  NOTIFICATIONS,
} from '../../platform/outbox/delivery-store.ts';
import { Wake } from '../../platform/postgres/wake.ts';
import { InvalidInput } from '../../kernel/errors.ts';
import { requestedInstant } from '../../platform/http/as-of/as-of.ts';
import { CurrentList, CurrentPrincipal } from '../../platform/http/context/decorators.ts';
import type { Principal } from '../../platform/http/context/principal.ts';
import { type ItemPosition, ListPage, type ListRequest, readSort } from '../../platform/http/lists/list.ts';
import { NotFound } from '../../platform/http/errors/refusals.ts';
import { inUtc, success } from '../../platform/http/presentation/answers.ts';
import { Needs } from '../../accounts/rights/needs.ts';
import { accountRight } from '../../accounts/rights/right.ts';
import type { DeliveryListAnswer } from './channel.api.ts';

const statuses = { waiting: 'due', delivered: 'delivered', failed: 'failed' } as const satisfies Record<string, DeliveryState>;
const statusOfState: Readonly<Record<DeliveryState, keyof typeof statuses>> = { due: 'waiting', delivered: 'delivered', failed: 'failed' };

const DEFAULT_LIMIT = 100;
const INSTANT = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The deliveries of messages to the caller. */
@Controller('account/deliveries')
export class DeliveryController {
  constructor(
    private readonly deliveries: DeliveryStore,
    private readonly wake: Wake,
  ) {}

  @Get()
  @Needs(accountRight)
  async list(@CurrentPrincipal() { userId }: Principal, @CurrentList() request: ListRequest): Promise<ListPage> {
    const limit = request.limit ?? DEFAULT_LIMIT;
    // Cast: a word of the list.
    const state = request.status === null ? null : statuses[request.status as keyof typeof statuses];
    const { direction } = readSort(request.sort);
    const found = await this.deliveries.ofUser(userId, state, {
      direction,
      after: positionOf(request.after),
      limit: limit + 1,
      asOf: requestedInstant(),
    });
    const page = found.slice(0, limit);
    const last = page.at(-1);
    const end = found.length > limit && last !== undefined ? { value: last.listedAt, key: last.id } : null;
    return new ListPage({ deliveries: page.map(present) }, end);
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

function positionOf(after: ItemPosition | null): DeliveryPosition | null {
  if (after === null) return null;
  if (!UUID.test(after.key) || typeof after.value !== 'string' || !INSTANT.test(after.value) || Number.isNaN(Date.parse(after.value)))
    throw new InvalidInput('cursor: is not a cursor of this list');
  return { listedAt: after.value, id: after.key };
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
