/**
 * The URL that a text is; null when it is none. Not `URL.canParse`: on Node 20 its optimised version rejects every address with letters such as `ü`
 * (it reads their bytes as invalid UTF-8).
 */
export function parsedUrl(text: string, base?: string | URL): URL | null {
  try {
    return new URL(text, base);
  } catch {
    return null;
  }
}

export const isUrl = (text: string, base?: string | URL): boolean => parsedUrl(text, base) !== null;

/** The origin of an address, or the text itself if it is none. */
export const originOf = (url: string): string => parsedUrl(url)?.origin ?? url;

/** The same origin, or the https version of it. */
export const isSameSite = (left: string, entered: string): boolean =>
  originOf(entered) === originOf(left) || originOf(entered) === originOf(left).replace(/^http:/, 'https:');
