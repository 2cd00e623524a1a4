import { useEffect, useRef, useState } from 'preact/hooks';
import type { ComponentChildren } from 'preact';

interface VirtualRowsProps {
  readonly count: number;
  readonly rowHeight: number;
  /** Renders the rows from `first` on; `end` is not included. */
  readonly children: (first: number, end: number) => ComponentChildren;
}

const MARGIN = 6;

/** Only the rows that are on the screen exist, so that what is drawn does not grow with the number of sites. */
export function VirtualRows({ count, rowHeight, children }: VirtualRowsProps) {
  const box = useRef<HTMLDivElement>(null);
  const [[first, end], setRange] = useState<readonly [number, number]>([0, 30]);
  useEffect(() => {
    const measure = (): void => {
      const top = box.current?.getBoundingClientRect().top ?? 0;
      const next = [Math.max(0, Math.floor(-top / rowHeight) - MARGIN), Math.ceil((innerHeight - top) / rowHeight) + MARGIN] as const;
      setRange((before) => (before[0] === next[0] && before[1] === next[1] ? before : next));
    };
    measure();
    addEventListener('scroll', measure, { passive: true });
    addEventListener('resize', measure);
    return () => {
      removeEventListener('scroll', measure);
      removeEventListener('resize', measure);
    };
  }, [rowHeight, count]);
  const last = Math.min(end, count);
  return (
    <div ref={box} role="rowgroup" class="rows">
      <Space rows={Math.min(first, count)} rowHeight={rowHeight} />
      {children(Math.min(first, count), last)}
      <Space rows={count - last} rowHeight={rowHeight} />
    </div>
  );
}

function Space({ rows, rowHeight }: { readonly rows: number; readonly rowHeight: number }) {
  return (
    <div
      aria-hidden="true"
      ref={(element) => {
        if (element !== null) element.style.height = `${String(rows * rowHeight)}px`;
      }}
    />
  );
}
