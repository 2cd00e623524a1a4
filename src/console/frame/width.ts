import { useEffect, useState } from 'preact/hooks';

const narrow = matchMedia('(max-width: 720px)');

/** Whether the page is as narrow as on a phone, where lines have two rows and a strip shows 30 days. */
export function useNarrow(): boolean {
  const [isNarrow, setNarrow] = useState(narrow.matches);
  useEffect(() => {
    const update = (): void => setNarrow(narrow.matches);
    narrow.addEventListener('change', update);
    return () => narrow.removeEventListener('change', update);
  }, []);
  return isNarrow;
}
