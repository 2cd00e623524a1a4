import type { FastifyRequest } from 'fastify';
import { RequestSlot } from '../../platform/http/context/request-slot.ts';
import type { MemberAccess } from './project-rights.ts';
import type { Right } from './right.ts';

/** Stated by the route; not set: the route is closed. */
export const rightSlot = new RequestSlot<Right>('right');

/** The project of a request as the guard has read it, the caller's role in it, and the facts that were read with it. */
export const accessSlot = new RequestSlot<MemberAccess & { readonly facts?: unknown }>('project access');

/** Port: whether the answer to a request has to be signed, and for which time (docs/spec/beyond.md#B22). */
export abstract class ReceiptRequests {
  /** Answers null when the request asks for no signature; rejects when no signature can have what it asks for. */
  abstract timeOf(request: FastifyRequest): Promise<number> | null;
}

/** When a signature over the answer was asked for, in milliseconds. */
export const receiptTimeSlot = new RequestSlot<number>('time of the receipt');
