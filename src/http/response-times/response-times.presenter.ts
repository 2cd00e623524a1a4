import { formatInstant } from '../../kernel/instants.ts';
import type { ResponseTime } from '../../projections/read-models/response-times/response-times.reader.ts';

/** docs/spec/interface.md#response-time-record. */
export function presentResponseTime({ at, means, percentiles }: ResponseTime, offsetMinutes: number): object {
  const [dns = 0, connect = 0, tls = 0, request = 0, waiting = 0, download = 0, total = 0] = means.map(toThousandth);
  return {
    responseDate: formatInstant(at, offsetMinutes),
    dnsLookupTime: dns,
    initialConnectionTime: connect,
    sslTime: tls,
    requestTime: request,
    waitingTime: waiting,
    contentDownloadTime: download,
    totalResponseTime: total,
    ...(percentiles !== null && {
      p50: toThousandth(percentiles.p50),
      p95: toThousandth(percentiles.p95),
      p99: toThousandth(percentiles.p99),
    }),
  };
}

const toThousandth = (milliseconds: number): number => Math.round(milliseconds * 1000) / 1000;
