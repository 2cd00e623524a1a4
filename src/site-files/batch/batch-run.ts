import { setImmediate as yieldToOthers } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { CommandBus } from '@nestjs/cqrs';
import type { FastifyAdapter } from '@nestjs/platform-fastify';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { BatchNotApplied, JointAppend } from '../../platform/commands/joint-append.ts';
import { AppendJointly } from '../../platform/commands/joint-append.commands.ts';
import { ConcurrencyLimit } from '../../kernel/concurrency-limit.ts';
import { KeyedMutex } from '../../kernel/keyed-mutex.ts';
import { HealthParts } from '../../platform/telemetry/health/health-parts.ts';
import { payerOf, type Principal } from '../../platform/http/context/principal.ts';
import type { BatchDto, OperationAnswer } from './batch.api.ts';
import { BatchRequest, laneOf } from './batch-request.ts';

/** Shorter than the patience of most clients and proxies. */
const MAX_MS = 25_000;
/** Operations of one batch that run at once. */
const OPERATIONS_AT_ONCE = 8;
const MAX_BATCHES = 4;
const MAX_WAITING = 16;
const SLICE_MS = 2;

/** Carries out the operations of a batch (docs/spec/beyond.md#B12). */
@Injectable()
export class BatchRun {
  private readonly limit = new ConcurrencyLimit(MAX_BATCHES, { maxQueue: MAX_WAITING, shares: 'permits and queue' });

  constructor(
    @Inject(HttpAdapterHost) private readonly host: HttpAdapterHost<FastifyAdapter>,
    private readonly commands: CommandBus,
    private readonly health: HealthParts,
  ) {}

  answers(
    request: FastifyRequest,
    reply: FastifyReply,
    caller: Principal,
    { operations, atomic }: BatchDto,
  ): Promise<readonly OperationAnswer[]> {
    const work = (): Promise<readonly OperationAnswer[]> => {
      const isStopping = (): boolean => this.health.isStopping;
      const batch = new BatchRequest(this.host.httpAdapter.getInstance(), request, reply, { maxMs: MAX_MS, isStopping });
      return atomic === true ? this.together(batch, operations) : each(batch, operations);
    };
    return this.limit.run(work, { account: payerOf(caller) });
  }

  /** Every operation runs until its command waits for the append, and a few at a time continue after it: a thousand at once would hold up everybody else. */
  private async together(batch: BatchRequest, operations: readonly unknown[]): Promise<readonly OperationAnswer[]> {
    const joint = new JointAppend();
    const turns = new ConcurrencyLimit(OPERATIONS_AT_ONCE);
    const begun: Promise<OperationAnswer>[] = [];
    const pauseBetween = sliced();
    for (const [place, given] of operations.entries()) {
      await pauseBetween();
      const interruption = batch.interruption();
      if (interruption !== null) return abandoned(joint, begun, () => Promise.reject(interruption));
      const refused = await refusalBefore(batch, { joint, turns }, begun, given, place);
      if (!refused) continue;
      const others = new BatchNotApplied(`operation ${String(place)} was refused`);
      const left = operations.slice(place + 1).map(() => batch.refused(others));
      return abandoned(joint, begun, async () => [...(await Promise.all(begun)), ...left], others);
    }
    try {
      await this.commands.execute(new AppendJointly(joint, batch.signal));
    } catch (error) {
      return abandoned(joint, begun, () => Promise.reject(error as Error));
    }
    return Promise.all(begun);
  }
}

/** Called between operations: gives the thread to others after `SLICE_MS` of them. */
function sliced(): () => Promise<void> {
  let since = performance.now();
  return async () => {
    if (performance.now() - since <= SLICE_MS) return;
    await yieldToOthers();
    since = performance.now();
  };
}

/** Begins an operation; true: it was refused before its command joined the others. */
async function refusalBefore(
  batch: BatchRequest,
  { joint, turns }: { readonly joint: JointAppend; readonly turns: ConcurrencyLimit },
  begun: Promise<OperationAnswer>[],
  given: unknown,
  place: number,
): Promise<boolean> {
  const { reached: joined, reach } = milestone();
  let end: () => void = () => undefined;
  const turn = async (): Promise<void> => {
    end = await turns.acquire();
    // The continuations of one append are microtasks of each other.
    await yieldToOthers();
  };
  const answer = batch.carryOut(given, place, { joint: joint.place(place, reach, turn) }).finally(() => {
    end();
  });
  begun.push(answer);
  const first = await Promise.race([joined, answer]);
  return first !== null && first.status >= 400;
}

function milestone(): { readonly reached: Promise<null>; readonly reach: () => void } {
  let reach: () => void = () => undefined;
  const reached = new Promise<null>((resolve) => {
    reach = () => {
      resolve(null);
    };
  });
  return { reached, reach };
}

async function abandoned<Result>(
  joint: JointAppend,
  begun: readonly Promise<OperationAnswer>[],
  result: () => Promise<Result>,
  reason = new BatchNotApplied('the batch could not be stored'),
): Promise<Result> {
  joint.abandon(reason);
  await Promise.allSettled(begun);
  return result();
}

/** On one object an operation begins when the one before it has appended its events or was refused; reads need not show them yet, because it decides on the log. */
async function each(batch: BatchRequest, operations: readonly unknown[]): Promise<readonly OperationAnswer[]> {
  const [lanes, limit] = [new KeyedMutex(), new ConcurrencyLimit(OPERATIONS_AT_ONCE)];
  const answers = new Array<Promise<OperationAnswer>>(operations.length);
  const pauseBetween = sliced();
  const begin = async (given: unknown, place: number): Promise<void> => {
    const release = await limit.acquire();
    await pauseBetween();
    const interruption = batch.interruption();
    const { reached: appended, reach } = milestone();
    const answer = interruption === null ? batch.carryOut(given, place, { onAppend: reach }) : Promise.resolve(batch.refused(interruption));
    answers[place] = answer.finally(release);
    await Promise.race([appended, answer]);
  };
  await Promise.all(operations.map((given, place) => lanes.runExclusive(laneOf(given, place), () => begin(given, place))));
  return Promise.all(answers);
}
