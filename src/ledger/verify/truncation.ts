/** An operator's word that the log lost what was sealed behind `to`, such as after a restore. It stands in the log itself, where everybody can read it. */
export interface Truncation {
  /** How many events had been sealed. */
  readonly from: number;
  /** How many of them the log still has. */
  readonly to: number;
}

export const LOG_TRUNCATED = 'LogTruncated';

export function truncationIn(event: { readonly type: string; readonly data: object }): Truncation | null {
  if (event.type !== LOG_TRUNCATED || !('from' in event.data) || !('to' in event.data)) return null;
  const { from, to } = event.data;
  const isSize = (size: unknown): size is number => typeof size === 'number' && Number.isSafeInteger(size) && size >= 0;
  return isSize(from) && isSize(to) && to < from ? { from, to } : null;
}
