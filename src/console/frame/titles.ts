import { signal } from '@preact/signals';

/** Titles of projects that were read, for the header. */
export const projectTitles = signal<ReadonlyMap<string, string>>(new Map());

export function rememberTitle(id: string, title: string): void {
  if (projectTitles.value.get(id) !== title) projectTitles.value = new Map([...projectTitles.value, [id, title]]);
}
