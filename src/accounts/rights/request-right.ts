import { RequestSlot } from '../../platform/http/context/request-slot.ts';
import type { Right } from './right.ts';

/** Stated by the route; not set: the route is closed. */
export const rightSlot = new RequestSlot<Right>('right');
