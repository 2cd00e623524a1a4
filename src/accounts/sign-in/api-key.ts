/** Whether the raw query names the retired API key, in any case; a parser that keeps one of two equal names could miss it (docs/spec/decisions.md#A5). */
export const carriesApiKey = (url: string): boolean => {
  const query = url.indexOf('?');
  if (query < 0) return false;
  return url
    .slice(query + 1)
    .split('&')
    .some((pair) => nameOf(pair) === 'apikey');
};

function nameOf(pair: string): string {
  const raw = pair.split('=', 1)[0] ?? '';
  try {
    return decodeURIComponent(raw.replaceAll('+', ' ')).trim().toLowerCase().replace(/\[.*$/, '');
  } catch {
    return '';
  }
}
