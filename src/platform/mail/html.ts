import { escaped } from '../../kernel/markup.ts';

/** Word joiner: invisible, and keeps its neighbours from being parsed as one address. */
export const JOINER = '\u2060';
const BEFORE_HOST = /:(?=\/\/)/g;
const WITHIN_HOST = /(?<=[\p{L}\p{N}])[.\u3002\uff0e\uff61](?=\p{L})/gu;

/** Keeps mail and chat programs from linking addresses in untrusted text, by inserting invisible word joiners. */
export const unlinked = (text: string): string => text.replace(BEFORE_HOST, `:${JOINER}`).replace(WITHIN_HOST, `$&${JOINER}`);

/** Escaped, and with addresses that mail programs do not turn into links. */
export const inert = (text: string): string => escaped(unlinked(text));

/** The HTML page of a mail; it follows the reader's font, width and colour scheme. */
export const mailPage = (parts: readonly string[], language = 'en'): string =>
  [
    '<!doctype html>',
    `<html lang="${language}">`,
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

/** A grey readable on white and on black. */
export const FAINT = 'color:#767676;font-size:small';
