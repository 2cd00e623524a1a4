/** An operator's declaration, as an event of the log, that the log lost the sealed events behind `to`, for example in a restore. */
export interface Truncation {
  /** Number of events that were sealed. */
  readonly from: number;
  /** Number of them that the log still has. */
  readonly to: number;
  /** The signed note whose loss is declared, where the database itself no longer had it. */
  readonly checkpoint?: string;
}

export const LOG_TRUNCATED = 'LogTruncated';

export function truncationIn(event: { readonly type: string; readonly data: object }): Truncation | null {
  if (event.type !== LOG_TRUNCATED || !('from' in event.data) || !('to' in event.data)) return null;
  const { from, to } = event.data;
  const isSize = (size: unknown): size is number => typeof size === 'number' && Number.isSafeInteger(size) && size >= 0;
  if (!isSize(from) || !isSize(to) || to >= from) return null;
  return 'checkpoint' in event.data && typeof event.data.checkpoint === 'string'
    ? { from, to, checkpoint: event.data.checkpoint }
    : { from, to };
}
