import { Inject, Injectable } from '@nestjs/common';
import { type BackpressureGate, type CommandContext, systemContext } from '../../commands/context.ts';
import type { AppendPosition } from '../../event-store/event-store.ts';
import type { Actor, NewEvent } from '../../../kernel/event.ts';
import type { Principal } from './principal.ts';

/** The command context of a request. */
export interface RequestContext extends CommandContext {
  /** Resolves once every read shows what the request wrote so far (read-your-writes). */
  readonly waitUntilVisible: () => Promise<void>;
  /** Counts what is kept beside the log as bytes of events. */
  readonly recordBytes: (bytes: number) => void;
}

/** Port of the read models: tells when a write can be read through any instance. */
export interface WriteVisibility {
  /** Backpressure: closed while the read models are too far behind. */
  readonly gate: BackpressureGate;
  /** Rejects with `NotVisibleYet` when the reads need too long. */
  waitFor(position: AppendPosition): Promise<void>;
}

/** Injection token. */
export const WRITE_VISIBILITY = Symbol('WriteVisibility');

/** What the account of a request may still write. */
export interface WriteBudget extends BackpressureGate {
  record(events: readonly NewEvent[]): void;
  recordBytes(bytes: number): void;
}

/** Port: what an account may still write. */
export abstract class WriteBudgets {
  /** Undefined when unlimited. `always`: the request is counted but not refused, as a deletion, which frees more than it takes. */
  abstract ofRequest(caller: Pick<Principal, 'userId' | 'plan' | 'service'>, always: boolean): WriteBudget | undefined;
}

/** Collects where a request wrote, and waits until every read shows it. */
export function trackWrites(
  visibility: WriteVisibility,
  budget?: WriteBudget,
): Required<Pick<RequestContext, 'gate' | 'recordAppend' | 'recordBytes' | 'waitUntilVisible'>> {
  const positions: AppendPosition[] = [];
  return {
    gate:
      budget === undefined
        ? visibility.gate
        : {
            check: () => {
              visibility.gate.check();
              budget.check();
            },
          },
    recordAppend: (position, events) => {
      positions.push(position);
      budget?.record(events);
    },
    recordBytes: (bytes) => budget?.recordBytes(bytes),
    waitUntilVisible: async () => {
      for (const position of positions.splice(0)) await visibility.waitFor(position);
    },
  };
}

/** Contexts of requests without a token: the actor follows from what the request contains, such as the token of a link. */
@Injectable()
export class RequestContexts {
  constructor(@Inject(WRITE_VISIBILITY) private readonly visibility: WriteVisibility) {}

  get gate(): BackpressureGate {
    return this.visibility.gate;
  }

  of(actor: Actor, now = Date.now()): RequestContext {
    return { ...systemContext(actor, now), ...trackWrites(this.visibility) };
  }
}

const CHANGING_GET = /^\/api\/(project\/(create|:\w+\/start)|authenticate\/provider\/callback)(\/|$)/;

/** Whether GET of a route (not of a path, which has many spellings) creates, starts or uses up something, for the sake of old clients and browsers. */
export const isChangingGet = (route: string | undefined): boolean => CHANGING_GET.test(route ?? '');

/** Whether a request may change something. HEAD never does (docs/spec/decisions.md#G5). */
export const mayWrite = (method: string, route: string | undefined): boolean =>
  method === 'GET' ? isChangingGet(route) : method !== 'HEAD';
