import type { FastifyRequest } from 'fastify';
import { KeyParked } from '../../projections/views/views.ts';
import type { Config } from '../../config.ts';

/** docs/spec/interface.md#update-project: the body of a change that has nothing else to say. */
export const success = { code: 200, ok: true, error: false } as const;

/** What a list cannot show at the moment is named beside what it can: nobody takes it for gone, and nothing else has to wait for an operator. */
export const unreadable = (what: string, ids: readonly string[]): { readonly unreadable?: readonly object[] } =>
  ids.length === 0 ? {} : { unreadable: ids.map((id) => ({ id, message: new KeyParked(what, id).message })) };

/** `2023-03-23T12:53:20+00:00`: how every answer writes an instant (docs/spec/decisions.md#G8). */
export const inUtc = (instant: string | number): string => `${new Date(instant).toISOString().slice(0, 19)}+00:00`;

/** Whole seconds since the epoch. */
export const unixSeconds = (instant: string | number): number => Math.floor(new Date(instant).getTime() / 1000);

/** Where the client reached us, or `PUBLIC_URL`; with `/api`, without a slash at the end (docs/spec/decisions.md#J5). */
export const baseUrlOf = (request: FastifyRequest, { publicUrl }: Pick<Config, 'publicUrl'>): string =>
  `${publicUrl ?? `${request.protocol}://${request.host}`}/api`;
