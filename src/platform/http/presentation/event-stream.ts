/** A heartbeat that keeps proxies from closing the connection. */
export const commentFrame = ': still here\n\n';

/** The first frame: clients reconnect after this many milliseconds. */
export const openingFrame = 'retry: 2000\n\n';
