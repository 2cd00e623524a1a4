/**
 * Whether a text parses as a URL. Not `URL.canParse`: on Node 20 its optimised version rejects every address with letters such as `ü`
 * (it reads their bytes as invalid UTF-8).
 */
export function isUrl(text: string, base?: string | URL): boolean {
  try {
    return new URL(text, base).href !== '';
  } catch {
    return false;
  }
}
