const STATUS_PAGE = /^\/status\/[!"$-[\]-~]{1,490}$/;

/**
 * The status page from which a person came to sign in; null: none, or an address that leads elsewhere. An open redirect is ruled out twice: no character that a
 * browser drops or reads as a slash, and the address as the browser reads it is a status page of this origin.
 */
export function returnPathOf(given: string | null, origin: string): string | null {
  if (given === null || !STATUS_PAGE.test(given)) return null;
  const url = new URL(given, origin);
  return url.origin === origin && url.pathname.startsWith('/status/') ? url.pathname + url.search : null;
}
