import { useEffect, useRef } from 'preact/hooks';

/** Does the work again and again while a person can see the page: a hidden tab asks for nothing. */
export function useEvery(milliseconds: number, isOn: boolean, work: () => void): void {
  const latest = useRef(work);
  latest.current = work;
  useEffect(() => {
    if (!isOn) return undefined;
    const timer = setInterval(() => {
      if (!document.hidden) latest.current();
    }, milliseconds);
    return () => clearInterval(timer);
  }, [milliseconds, isOn]);
}
