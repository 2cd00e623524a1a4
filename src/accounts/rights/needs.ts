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

const RECENT_SIGN_IN = 'watchledger:recent-sign-in';

/** Step-up authentication: the route needs a recent sign-in, or the password in its body (docs/spec/decisions.md#A10). */
export const NeedsRecentSignIn = (): MethodDecorator => SetMetadata(RECENT_SIGN_IN, true);

export const needsRecentSignIn = (handler: Annotated): boolean => reflector.get<true | undefined>(RECENT_SIGN_IN, handler) === true;
