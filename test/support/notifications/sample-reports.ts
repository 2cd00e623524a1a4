import type { ProjectWeek, Report } from '../../../src/alerts/reports/report.ts';

const HOUR = 3_600_000;
const from = Date.parse('2026-03-08T23:00:00Z');
const to = from + 7 * 24 * HOUR;

/** Slower by day, with a spike, and a night without answers. */
const points = Array.from({ length: 121 }, (_, index) => {
  const milliseconds = 180 + 90 * Math.sin((index / 17.28) * 2 * Math.PI) + (index === 60 ? 600 : 0);
  return { at: from + index * 5_000_000, milliseconds };
}).filter((_, index) => index < 80 || index > 88);

const shop: ProjectWeek = {
  id: '65f000000000000000000000',
  title: 'Shop & Co',
  url: 'https://shop.example',
  uptime: { up: 99.871, down: 0.1, timeout: 0.029, unknownMs: 5 * HOUR },
  responseTimes: { answers: 10_023, mean: 187.4, slowest: { at: from + 60 * 5_000_000, milliseconds: 845 }, points },
  failures: {
    total: 2,
    shown: [
      { what: 'check Homepage', reason: 'expected status 200, got 503', since: from + 30 * HOUR, until: from + 30 * HOUR + 320_000 },
      { what: 'the site https://shop.example/', reason: 'connection refused', since: to - 2 * HOUR, until: null },
    ],
  },
  corrections: [],
  certificate: { host: 'shop.example', validTo: '2026-03-20T10:00:00.000Z', daysLeft: 4, problem: null },
};

const quiet: ProjectWeek = {
  id: '65f000000000000000000001',
  title: 'Blog',
  url: 'https://blog.example',
  uptime: null,
  responseTimes: null,
  failures: { total: 0, shown: [] },
  corrections: [],
  certificate: null,
};

const checkpoint =
  'watch.example/api/ledger\n1048576\nXyz+abcDEF0123456789abcdefghijklmnopqrstuvw=\n\n— watch.example/api/ledger AbCdEf0123456789\n';

export const weekReport: Report = {
  id: '33333333-3333-5333-8333-333333333333',
  zone: 'Europe/Prague',
  from,
  to,
  projects: [shop, quiet],
  more: 0,
  checkpoint,
};

export const reportTable: Readonly<Record<string, Report>> = {
  'a week of two projects': weekReport,
  'a week in which all went well': {
    ...weekReport,
    projects: [{ ...shop, uptime: { up: 100, down: 0, timeout: 0, unknownMs: 0 }, failures: quiet.failures, certificate: null }],
    checkpoint: null,
  },
  'a week at the turn of the year, with more than a mail holds': {
    ...weekReport,
    zone: 'Pacific/Apia',
    from: Date.parse('2025-12-28T11:00:00Z'),
    to: Date.parse('2026-01-04T11:00:00Z'),
    projects: [{ ...quiet, failures: { total: 14, shown: shop.failures.shown.slice(0, 1) } }],
    more: 3,
  },
  'a week of which the verdicts were corrected': {
    ...weekReport,
    projects: [
      {
        ...shop,
        corrections: [
          {
            what: 'check Homepage',
            reason: 'The rule looked for the old title.',
            original: { failures: 3, passed: 97.2 },
            corrected: { failures: 0, passed: 100 },
            isPartial: true,
          },
          {
            ...{ what: 'check Basket', reason: 'Somebody asked', isPartial: true },
            ...{ original: { failures: 1, passed: 50 }, corrected: { failures: 0, passed: null } },
          },
        ],
      },
    ],
    checkpoint: null,
  },
  'names that want to be more than names': {
    ...weekReport,
    projects: [
      {
        ...shop,
        title: '<b>\r\nBcc: all@example.test 🔥\u202egnp.exe',
        failures: { total: 1, shown: [{ what: 'check متجر <img src=x>', reason: 'got "<script>"', since: from, until: to }] },
        certificate: { host: 'shop.example', validTo: '2026-03-20T10:00:00.000Z', daysLeft: 4, problem: 'self-signed <i>certificate</i>' },
      },
    ],
    checkpoint: null,
  },
};
