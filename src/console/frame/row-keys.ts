import { useKeys } from './keys.ts';

const ROWS = 'main .rows-list > li a.plain';

/** `j` and `k` move the focus from row to row of a list of links, so that `Enter` opens one. */
export function useRowKeys(): void {
  const move = (by: 1 | -1): void => {
    const rows = [...document.querySelectorAll<HTMLElement>(ROWS)];
    const current = rows.findIndex((row) => row === document.activeElement);
    rows[Math.max(0, Math.min(rows.length - 1, current + by))]?.focus();
  };
  useKeys({
    j: { does: 'The next row', run: () => move(1) },
    k: { does: 'The row before', run: () => move(-1) },
  });
}
