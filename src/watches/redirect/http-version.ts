/** The http version of `https://host/path`; null where there is none: an http project, or a port of its own (docs/spec/decisions.md#P9). */
export function httpVersionOf(projectUrl: string): string | null {
  const url = new URL(projectUrl);
  if (url.protocol !== 'https:' || url.port !== '') return null;
  url.protocol = 'http:';
  return url.href;
}
