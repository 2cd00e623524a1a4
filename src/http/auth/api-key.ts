/** The name of a retired way in, in any case, as it stands in the raw query: a parser that keeps one of two would miss the other (docs/spec/decisions.md#A5). */
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
