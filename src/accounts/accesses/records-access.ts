import { SetMetadata } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { AccessKind } from './access.events.ts';
import { RequestSlot } from '../../platform/http/context/request-slot.ts';

const KIND = 'watchledger:records-access';
const reflector = new Reflector();

/** Every answer of the route, or of the routes of a controller, leaves an event of this kind (docs/spec/beyond.md#B20). */
export const RecordsAccess = (kind: AccessKind): ClassDecorator & MethodDecorator => SetMetadata(KIND, kind);

/** What the answer of a request counts as among the reads of the record, as its route states it. */
export const recordedAsSlot = new RequestSlot<AccessKind>('kind of access');

type Annotated = Parameters<Reflector['get']>[1];

export const recordedKind = (handler: Annotated, controller: Annotated): AccessKind | undefined =>
  reflector.getAllAndOverride<AccessKind | undefined>(KIND, [handler, controller]);
