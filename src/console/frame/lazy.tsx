import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { PageState } from '../parts/states.tsx';

type Page<Props> = ComponentType<Props>;

/** A page whose script is loaded when it is opened first. */
export function lazy<Props extends object>(load: () => Promise<Page<Props>>): Page<Props> {
  let loaded: Page<Props> | undefined;
  return function Lazy(props: Props) {
    const [{ error }, setState] = useState<{ readonly error: unknown }>({ error: undefined });
    useEffect(() => {
      if (loaded !== undefined) return;
      load().then(
        (page) => {
          loaded = page;
          setState({ error: undefined });
        },
        (failure: unknown) => setState({ error: failure }),
      );
    }, []);
    if (error !== undefined) return <PageState what="This page" error={error} retry={() => location.reload()} />;
    if (loaded === undefined) return <PageState what="This page" error={undefined} />;
    const Found = loaded;
    return <Found {...props} />;
  };
}
