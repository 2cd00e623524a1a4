/**
 * Whether a text can be read as a URL. Not `URL.canParse`: on Node 20, once the engine has compiled the call, it denies every address
 * with letters such as `ü` (it takes their bytes for broken UTF-8).
 */
export function isUrl(text: string, base?: string | URL): boolean {
  try {
    return new URL(text, base).href !== '';
  } catch {
    return false;
  }
}
