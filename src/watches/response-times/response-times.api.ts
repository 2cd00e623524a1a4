import { json, may, must, type Operations } from '../../platform/http/description/operation.ts';
import { flag, list, named, number, record, type Schema, text, type ValueOf } from '../../platform/http/description/schema.ts';
import { atInstant, idPath, instant } from '../../platform/http/description/vocabulary.ts';
import { shortList } from '../../platform/http/lists/list.ts';

const time = (description: string, example = 0): Schema<number> =>
  number(`${description}, milliseconds`, { minimum: 0, examples: [example] });

/** docs/spec/interface.md#response-time-record; docs/spec/decisions.md#J12. */
const responseTime = named(
  'ResponseTime',
  record(
    'Means over a bucket, or a single sample',
    {
      responseDate: instant('Start of the bucket, or time of the sample', '2023-03-23T12:50:00+00:00'),
      dnsLookupTime: time('DNS lookup', 4),
      initialConnectionTime: time('Connecting', 11),
      sslTime: time('TLS handshake', 23),
      requestTime: time('Sending', 0.2),
      waitingTime: time('Waiting', 96),
      contentDownloadTime: time('Download', 3),
      totalResponseTime: time('Total', 137.2),
    },
    { p50: time('50th percentile'), p95: time('95th percentile'), p99: time('99th percentile') },
  ),
);
export type ResponseTimeAnswer = ValueOf<typeof responseTime>;

export const responseTimesOperations: Operations = {
  'GET /project/:id/responseTimes': {
    id: 'getResponseTimes',
    tag: 'Uptime',
    summary: 'Response times',
    description:
      'Single samples for spans up to 1 hour, buckets of 1000 s for spans up to 7 days, of 5000 s beyond. Where samples are no longer stored, buckets of 1000 s are the finest. Empty buckets are omitted.',
    path: idPath,
    query: {
      start: must(atInstant('Start')),
      end: may(atInstant('End; missing: now')),
      resolution: may(text('Seconds of a bucket, or `raw` for single samples', { pattern: '^([1-9]\\d{0,8}|raw)$' })),
      raw: may(flag('Single samples')),
    },
    list: shortList(responseTime, { name: 'responseTimes', key: 'responseDate', sorts: ['responseDate', 'totalResponseTime'] }),
    answer: json(list(responseTime, 'In order of time')),
    refusals: { 405: { why: '`start` is missing or cannot be read', schema: 'StartError' } },
  },
};
