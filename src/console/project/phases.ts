import type { Schemas } from '../../client.ts';

export type TimedResponse = Schemas['ResponseTime'];

export interface Phase {
  readonly name: 'name' | 'connect' | 'TLS' | 'request' | 'wait' | 'page';
  readonly milliseconds: number;
}

/** The phases of a response in the order in which they pass. */
export const phasesOf = (response: TimedResponse): readonly Phase[] => [
  { name: 'name', milliseconds: response.dnsLookupTime },
  { name: 'connect', milliseconds: response.initialConnectionTime },
  { name: 'TLS', milliseconds: response.sslTime },
  { name: 'request', milliseconds: response.requestTime },
  { name: 'wait', milliseconds: response.waitingTime },
  { name: 'page', milliseconds: response.contentDownloadTime },
];

/** `name 0, connect 1, TLS 9, request 1, wait 140, page 0 ms`. */
export const phaseWords = (response: TimedResponse): string =>
  `${phasesOf(response)
    .map(({ name, milliseconds }) => `${name} ${milliseconds.toFixed(0)}`)
    .join(', ')} ms`;
