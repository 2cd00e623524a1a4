/** On every answer: read as what it says that it is, in no frame, and kept by nobody unless a route says otherwise. */
export const HARD_HEADERS = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
};
