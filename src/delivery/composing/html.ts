import { unlinked } from './words.ts';

/** Names and findings come from strangers. */
export const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

/** As text of its own: also without what mail programs would make a link of. */
export const inert = (text: string): string => escaped(unlinked(text));

/** A mail as a page: in the letters and the width of whatever shows it, light or dark as its reader has it. */
export const mailPage = (parts: readonly string[]): string =>
  [
    '<!doctype html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="color-scheme" content="light dark">',
    '</head>',
    '<body style="font-family:sans-serif;line-height:1.4;max-width:42em;margin:1em auto;padding:0 1em">',
    ...parts,
    '</body>',
    '</html>',
  ].join('\n');

/** Grey that can be read on white and on black alike. */
export const FAINT = 'color:#767676;font-size:small';
