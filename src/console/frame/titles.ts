import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { isNotShown, service } from '../service/service.ts';
import { address } from './address.ts';

/** Titles of projects that were read, for the header. */
export const projectTitles = signal<ReadonlyMap<string, string>>(new Map());

export function rememberTitle(id: string, title: string): void {
  if (projectTitles.value.get(id) !== title) projectTitles.value = new Map([...projectTitles.value, [id, title]]);
}

/** What a page below a site, or a place, shows; undefined: the place itself. */
const shownThing = signal<{ readonly path: string; readonly words: string } | undefined>(undefined);

const pathNow = (): string => address.value.path.join('/');

/** The title of a page that its site or its place does not name alone; undefined until it is known. */
export function useTitle(words: string | undefined): void {
  const path = pathNow();
  useEffect(() => {
    if (words !== undefined) shownThing.value = { path, words };
  }, [path, words]);
}

/** Of the tab: the thing first, because a tab shows the beginning. */
export const titleOf = (...parts: readonly (string | undefined)[]): string =>
  [...parts, 'Watchledger'].filter((part) => part !== undefined && part !== '').join(' – ');

/** The title of what is shown. `here`: the site, or the place. */
export const shownTitle = (here: string | undefined): string =>
  titleOf(shownThing.value?.path === pathNow() ? shownThing.value.words : undefined, here);

const NO_SUCH_SITE = 'no such site';

/** The header names the site of a page that could not be read: it may be a part of the site that is missing, or all of it. */
export function useTitleOfPlace(isFailed: boolean): void {
  const [room, id] = address.value.path;
  const isMissing = isFailed && room === 'projects' && id !== undefined && !projectTitles.value.has(id);
  useEffect(() => {
    if (!isMissing) return;
    service.get('/project/{id}', { path: { id } }).then(
      ({ data }) => rememberTitle(id, data.title),
      (error: unknown) => {
        if (isNotShown(error)) rememberTitle(id, NO_SUCH_SITE);
      },
    );
  }, [isMissing, id]);
}
