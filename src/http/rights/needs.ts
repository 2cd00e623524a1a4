import { SetMetadata } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Right } from './right.ts';

const RIGHT = 'watchledger:right';
const reflector = new Reflector();

/** States the right that a route needs: `@Needs(project('read'))` on a handler, or on a controller for all of its routes. */
export const Needs = (right: Right): ClassDecorator & MethodDecorator => SetMetadata(RIGHT, right);

type Annotated = Parameters<Reflector['get']>[1];

/** Undefined: neither states a right, and the route is closed. */
export const statedRight = (handler: Annotated, controller: Annotated): Right | undefined =>
  reflector.getAllAndOverride<Right | undefined>(RIGHT, [handler, controller]);
