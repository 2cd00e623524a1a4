/** An address as a line shows it: host and path, without the scheme. */
export function shortAddress(url: string): string {
  try {
    const { host, pathname } = new URL(url);
    return pathname === '/' ? host : host + pathname;
  } catch {
    return url;
  }
}
