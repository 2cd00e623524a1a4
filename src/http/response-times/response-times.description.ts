import { json, may, must, type Operations } from '../description/operation.ts';
import { flag, list, number, record, ref, text } from '../description/schema.ts';
import { atInstant, idPath, instant } from '../description/vocabulary.ts';

const time = (description: string) => number(`${description}, milliseconds`, { minimum: 0 });
const percentiles = { p50: time('Half were faster'), p95: time('95 of 100 were faster'), p99: time('99 of 100 were faster') };

/** docs/spec/interface.md#response-time-record; docs/spec/decisions.md#J12. */
export const responseTimesSchemas = {
  ResponseTime: record(
    'Means over a bucket, or a single sample',
    {
      responseDate: instant('Start of the bucket, or when the sample was taken'),
      dnsLookupTime: time('Look-up of the name'),
      initialConnectionTime: time('Connecting'),
      sslTime: time('TLS'),
      requestTime: time('Sending'),
      waitingTime: time('Waiting'),
      contentDownloadTime: time('Download'),
      totalResponseTime: time('All of it'),
    },
    percentiles,
  ),
};

const means = { dnsLookupTime: 4, initialConnectionTime: 11, sslTime: 23, requestTime: 0.2, waitingTime: 96, contentDownloadTime: 3 };

export const responseTimesOperations: Operations = {
  'GET /project/:id/responseTimes': {
    id: 'getResponseTimes',
    tag: 'Uptime',
    summary: 'Response times',
    description:
      'Buckets of 1000 s for spans up to 7 days, of 5000 s beyond, each sample for spans up to 1 hour. Where samples are no longer kept, nothing is finer than 1000 s. Empty buckets are left out.',
    path: idPath,
    query: {
      start: must(atInstant('Start')),
      end: may(atInstant('End; now when it is missing')),
      resolution: may(text('Seconds of a bucket, or `raw` for each sample', { pattern: '^([1-9]\\d{0,8}|raw)$' })),
      raw: may(flag('Each sample')),
    },
    answer: json(list(ref('ResponseTime'), 'In order'), [
      { responseDate: '2023-03-23T12:50:00+00:00', ...means, totalResponseTime: 137.2 },
    ]),
    refusals: { 405: { why: '`start` is missing or cannot be read', schema: 'StartError' } },
  },
};
