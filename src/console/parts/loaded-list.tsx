import type { ComponentChildren } from 'preact';
import { Failed } from './states.tsx';
import type { Loaded } from '../service/use-loaded.ts';

interface LoadedListProps<Item> {
  readonly what: string;
  readonly loaded: Loaded<readonly Item[]>;
  /** What is said of an empty list. */
  readonly none: string;
  readonly children: (items: readonly Item[]) => ComponentChildren;
}

/** A list of its own request: a part that fails leaves the others. */
export function LoadedList<Item>({ what, loaded: { value, error, reload }, none, children }: LoadedListProps<Item>) {
  if (value !== undefined) return value.length === 0 ? <p class="soft">{none}</p> : <>{children(value)}</>;
  return error === undefined ? <p class="soft" aria-busy="true" /> : <Failed what={what} error={error} retry={reload} />;
}
