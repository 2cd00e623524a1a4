import type { FastifyRequest } from 'fastify';
import { KeyParked } from '../../read-models/views/views.ts';
import type { Config } from '../../config/config.ts';

/** The body of a change that has no other answer (docs/spec/interface.md#update-project). */
export const success = { code: 200, ok: true, error: false } as const;

/** Names the items of a list that are parked and cannot be shown until an operator acts, so that clients do not take them for deleted. */
export const unreadable = (what: string, ids: readonly string[]): { readonly unreadable?: readonly object[] } =>
  ids.length === 0 ? {} : { unreadable: ids.map((id) => ({ id, message: new KeyParked(what, id).message })) };

/** `2023-03-23T12:53:20+00:00`, the format of instants in every answer (docs/spec/decisions.md#G8). */
export const inUtc = (instant: string | number): string => `${new Date(instant).toISOString().slice(0, 19)}+00:00`;

/** Whole seconds since the epoch. */
export const unixSeconds = (instant: string | number): number => Math.floor(new Date(instant).getTime() / 1000);

/** `PUBLIC_URL` or the host of the request, with `/api` and without a trailing slash (docs/spec/decisions.md#J5). */
export const baseUrlOf = (request: FastifyRequest, { publicUrl }: Pick<Config, 'publicUrl'>): string =>
  `${publicUrl ?? `${request.protocol}://${request.host}`}/api`;

/** A heartbeat that keeps proxies from closing the connection. */
export const commentFrame = ': still here\n\n';

/** The first frame: clients reconnect after this many milliseconds. */
export const openingFrame = 'retry: 2000\n\n';
