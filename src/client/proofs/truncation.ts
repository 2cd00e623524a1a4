import { generationOf } from './origin.ts';

/** An operator's declaration, as an event of the log, that the log lost the sealed events behind `to`, for example in a restore. */
export interface Truncation {
  /** Number of events that were sealed. */
  readonly from: number;
  /** Number of them that the log still has. */
  readonly to: number;
  /** The signed note whose loss is declared, where the database itself no longer had it. */
  readonly checkpoint?: string;
  /** The origin of later checkpoints. */
  readonly origin?: string;
  /** The newest known checkpoint of the origin before. */
  readonly lastCheckpoint?: string;
}

export const LOG_TRUNCATED = 'LogTruncated';

export function truncationIn(event: { readonly type: string; readonly data: object }): Truncation | null {
  if (event.type !== LOG_TRUNCATED || !('from' in event.data) || !('to' in event.data)) return null;
  const { from, to } = event.data;
  const isSize = (size: unknown): size is number => typeof size === 'number' && Number.isSafeInteger(size) && size >= 0;
  if (!isSize(from) || !isSize(to) || to >= from) return null;
  const fields: Readonly<Record<string, unknown>> = { ...event.data };
  const texts = ['checkpoint', 'origin', 'lastCheckpoint'].filter((name) => typeof fields[name] === 'string');
  return { from, to, ...Object.fromEntries(texts.map((name) => [name, fields[name]])) };
}

/** The first declarations named no origin: they ended the first one. */
export const generationAfter = (first: string, { origin }: Truncation): number => generationOf(first, origin ?? '') ?? 1;
