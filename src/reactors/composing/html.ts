import { unlinked } from './words.ts';

/** Names and findings come from strangers. */
export const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

/** As text of its own: also without what mail programs would make a link of. */
export const inert = (text: string): string => escaped(unlinked(text));
