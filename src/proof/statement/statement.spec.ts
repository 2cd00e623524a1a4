import { beforeAll, describe, expect, it } from '@jest/globals';
import {
  MONTH_END,
  MONTH_START,
  october,
  octoberLog,
  octoberStatement,
  type Outage,
  PROJECT,
} from '../../../test/support/statement-world.ts';
import { noObjective, type ServiceObjective, standardMethod } from '../../projects/objectives/objective.settings.ts';
import { canonicalJson } from '../../client/proofs/canonical-json.ts';
import type { SignedStatement } from './document.ts';
import { availabilityOf } from './figures.ts';
import { nodePlatform } from './node-platform.ts';
import { recomputeStatement } from './verify-statement.ts';

const [MINUTE, HOUR, DAY] = [60_000, 3_600_000, 86_400_000];
const at = (day: number, hours: number): number => MONTH_START + (day - 1) * DAY + hours * HOUR;
const iso = (instant: number): string => new Date(instant).toISOString();
const outages: readonly Outage[] = [
  { from: at(3, 23.5), to: at(4, 0.5), state: 'down', reason: 'the server answered with HTTP status 500' },
  { from: at(10, 6), to: at(10, 6) + 10 * MINUTE, state: 'timeout', reason: 'no whole answer in time' },
  { from: at(20, 1), to: at(20, 2), state: 'down', reason: 'connection refused' },
];
const objective: ServiceObjective = {
  ...noObjective,
  target: { percent: 99.8, window: 'month' },
  methods: [
    { ...standardMethod, name: 'ours' },
    {
      ...standardMethod,
      name: 'contract',
      maintenance: 'none',
      down: { unconfirmed: true, timeouts: false },
      rounding: { decimals: 2, mode: 'nearest' },
    },
  ],
  credits: [
    { below: 99.8, percent: 10 },
    { below: 99, percent: 25 },
  ],
};
const window = (windowId: string, from: number, to: number) => ({
  windowId,
  from: iso(from),
  to: iso(to),
  note: 'w',
  repeat: null,
  offsetMinutes: 0,
});
const extra = [
  { at: at(19, 0), type: 'MaintenanceScheduled', data: window('announced', at(20, 1), at(20, 1.5)) },
  { at: at(21, 0), type: 'MaintenanceScheduled', data: window('afterwards', at(20, 1.5), at(20, 2)) },
  {
    at: at(15, 3) + 20_000,
    type: 'UptimeSuspicionCleared',
    data: { since: iso(at(15, 3)), outcome: 'down', because: 'answered', evidence: { at: iso(at(15, 3) + 10_000) } },
    stream: `uptime-${PROJECT}`,
  },
];

let text: string;
let statement: SignedStatement;
beforeAll(async () => {
  text = await octoberStatement(octoberLog({ outages, objective, extra }));
  statement = JSON.parse(text) as SignedStatement;
});

describe('the figures of a statement', () => {
  const month = MONTH_END - MONTH_START;

  it('follow the method: maintenance that was announced is left out, what was entered afterwards is not', () => {
    const [ours] = statement.figures;
    const downMs = HOUR + 10 * MINUTE + 0.5 * HOUR;
    expect(ours).toMatchObject({ downMs, maintenanceMs: 0.5 * HOUR, countedMs: month - 0.5 * HOUR, unknownMs: 0, incidents: 3 });
    expect(ours?.downtimeByCause).toEqual([
      { cause: 'the server answered with HTTP status 500', ms: HOUR },
      { cause: 'connection refused', ms: 0.5 * HOUR },
      { cause: 'no whole answer in time', ms: 10 * MINUTE },
    ]);
    expect(statement.maintenance.map(({ windowId, occurrences }) => [windowId, occurrences[0]?.announced])).toEqual([
      ['announced', true],
      ['afterwards', false],
    ]);
  });

  it('stand side by side for two methods, with objective, error budget and credit', () => {
    const [ours, contract] = statement.figures;
    expect(contract).toMatchObject({ downMs: 2 * HOUR + 10_000, maintenanceMs: 0, countedMs: month, incidents: 2 });
    expect([ours?.availability, contract?.availability]).toEqual([99.775, 99.73]);
    const allowedMs = Math.floor(((month - 0.5 * HOUR) * 2) / 1000);
    expect(ours).toMatchObject({
      objectiveMet: false,
      credit: 10,
      errorBudget: { allowedMs, usedMs: 100 * MINUTE, remainingMs: allowedMs - 100 * MINUTE },
    });
    expect(statement.methods[1]?.words.join(' ')).toContain('An answer that does not come in time counts as up.');
  });

  it('list incidents over midnight as one, with cause and event, and percentiles of response times', () => {
    expect(statement.incidents.map(({ from, ms, cause }) => [from, ms, cause])).toEqual([
      [iso(at(3, 23.5)), HOUR, 'the server answered with HTTP status 500'],
      [iso(at(10, 6)), 10 * MINUTE, 'no whole answer in time'],
      [iso(at(20, 1)), HOUR, 'connection refused'],
    ]);
    expect(statement.incidents.every(({ event }) => event !== null)).toBe(true);
    expect(statement.responseTimes).toMatchObject({
      responses: 31 * 1440,
      days: 31,
      p50: expect.closeTo(72, -1),
      p99: expect.closeTo(142.6, -1),
    });
  });

  it('count a day without measurements as unknown, never as up', async () => {
    const log = octoberLog({
      outages: [],
      objective: { ...noObjective, methods: [standardMethod, { ...standardMethod, name: 'strict', unknown: 'down' }] },
    });
    const without = log.filter(({ data }) => !('day' in data) || data.day !== '2026-10-15').map((event, n) => ({ ...event, n }));
    const [standard, strict] = (JSON.parse(await octoberStatement(without)) as SignedStatement).figures;
    expect(standard).toMatchObject({ availability: 100, unknownMs: DAY, countedMs: 30 * DAY });
    expect(strict).toMatchObject({ availability: 96.774, downMs: DAY, downtimeByCause: [{ cause: 'no measurements', ms: DAY }] });
  });

  it('are rounded exactly', () => {
    const rounded = (up: number, counted: number, decimals: number, mode: 'down' | 'nearest') =>
      availabilityOf(up, counted, { ...standardMethod, rounding: { decimals, mode } });
    expect([rounded(2, 3, 2, 'down'), rounded(2, 3, 2, 'nearest'), rounded(1, 1, 3, 'down'), rounded(0, 0, 3, 'down')]).toEqual([
      66.66,
      66.67,
      100,
      null,
    ]);
    // One lost millisecond of a year is not 100 percent.
    expect(rounded(31_535_999_999, 31_536_000_000, 6, 'down')).toBe(99.999999);
  });
});

describe('recomputing a statement', () => {
  const findingOf = async (changed: string): Promise<string> => {
    const verdict = await recomputeStatement(changed, nodePlatform);
    return verdict.kind === 'equal' ? 'equal' : `${verdict.finding.kind}: ${verdict.finding.message}`;
  };
  const edited = (edit: (copy: Record<string, never>) => void): string => {
    const copy = JSON.parse(text) as Record<string, never>;
    edit(copy);
    return `${canonicalJson(copy)}\n`;
  };
  interface Editable {
    readonly figures: { availability: number }[];
    readonly days: object[];
    readonly incidents: { cause: string }[];
    readonly evidence: { readonly events: { leaf: string }[] };
    checkpoint: string;
  }
  const changing = (edit: (copy: Editable) => void): Promise<string> => findingOf(edited((copy) => edit(copy as unknown as Editable)));

  it('finds an unchanged one equal', async () => {
    expect(await findingOf(text)).toBe('equal');
  });

  it('names an edited figure, a removed day, a removed event, a changed event and a proof of another log', async () => {
    expect(
      await changing(({ figures }) => {
        if (figures[0]) figures[0].availability = 99.999;
      }),
    ).toBe('figure: figures.0.availability: the statement says 99.999, the evidence gives 99.775');
    expect(await changing(({ days }) => days.splice(14, 1))).toContain('figure: days.14.day: the statement says "2026-10-16"');
    expect(
      await changing(({ incidents }) => {
        if (incidents[0]) incidents[0].cause = 'planned';
      }),
    ).toContain('figure: incidents.0.cause');
    expect(await changing(({ evidence }) => evidence.events.splice(3, 1))).toContain('figure: streams.');
    expect(
      await changing(({ evidence }) => {
        const event = evidence.events.find(({ leaf }) => leaf.includes('UptimeWentDown'));
        if (event) event.leaf = event.leaf.replace('connection refused', 'x').replace('status 500', 'status 200');
      }),
    ).toMatch(/^proof: event \d+ \(UptimeWentDown, .+\) is not in the log in this form$/);
    const other = JSON.parse(await octoberStatement(octoberLog({ outages: [], objective, extra }))) as SignedStatement;
    expect(
      await changing((copy) => {
        copy.checkpoint = other.checkpoint;
      }),
    ).toContain('proof: event');
  });

  it('never throws on hostile input', async () => {
    const hostile = [
      '',
      '{}',
      'null',
      '[]',
      edited((copy) => Object.assign(copy, { asked: ['none'] })),
      edited((copy) => Object.assign(copy, { days: [] })),
    ];
    const spans = [{ from: '0001-01-01T00:00:00.000Z' }, { to: 'x' }, { offsetMinutes: 1e9 }, { month: '2026-11' }].map((change) =>
      edited((copy) => Object.assign(copy, { span: { ...october, ...change } })),
    );
    for (const one of [...hostile, ...spans]) expect(await findingOf(one)).toMatch(/^(form|figure|proof): /);
  });
});
