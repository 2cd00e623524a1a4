/** Outcomes of a probe without its journey: an empty page with status 200, and a refused connection. */
export const ANSWERED = {
  kind: 'answered',
  httpVersion: '1.1',
  status: 200,
  statusText: 'OK',
  headers: [],
  body: Buffer.alloc(0),
  size: 0,
  cut: false,
} as const;
export const REFUSED = { kind: 'failed', code: 'connection', during: 'connect', reason: 'the connection was refused' } as const;
