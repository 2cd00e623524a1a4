import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { address } from './address.ts';

/** What lies below the bar of time. It gets the focus when another page is opened in it, as a page does that a browser loads. */
export function Place({ children }: { readonly children: ComponentChildren }) {
  const place = useRef<HTMLDivElement>(null);
  const opened = useRef('');
  const path = address.value.path.join('/');
  useEffect(() => {
    const isFirst = opened.current === '';
    opened.current = `/${path}`;
    // Not away from a field that the page itself has chosen.
    if (!isFirst && place.current?.contains(document.activeElement) !== true) place.current?.focus({ preventScroll: true });
  }, [path]);
  return (
    <div ref={place} class="place" tabIndex={-1}>
      {children}
    </div>
  );
}
