import { beforeAll, describe, expect, it } from '@jest/globals';
import { auditStatement, hasPython } from '../../../test/support/audit-script.ts';
import { signer, signerOf } from '../../../test/support/sealed-log.ts';
import { MONTH_START, octoberFile, octoberLog, octoberStatement } from '../../../test/support/statement-world.ts';
import { noObjective, type ServiceObjective, standardMethod } from '../../projects/objectives/objective.settings.ts';
import { canonicalJson } from '../../client/proofs/canonical-json.ts';
import { joinFile, type StatementFile } from './page/page-file.ts';

const [HOUR, DAY] = [3_600_000, 86_400_000];
const at = (day: number, hours: number): number => MONTH_START + (day - 1) * DAY + hours * HOUR;
const iso = (instant: number): string => new Date(instant).toISOString();
const window = (windowId: string, from: number, repeat: string | null, offsetMinutes = 0) => ({
  type: 'MaintenanceScheduled',
  data: { windowId, from: iso(from), to: iso(from + HOUR), note: 'Café <b>', repeat, offsetMinutes },
});
const uptime = { stream: 'uptime-aaaaaaaaaaaaaaaaaaaaaaaa' };
const suspicion = (day: number, outcome: string) => ({
  ...{ at: at(day, 4), type: 'UptimeSuspicionCleared', ...uptime },
  data: { since: iso(at(day, 3)), outcome, because: 'answered', evidence: { at: iso(at(day, 3) + 10_007) } },
});
const extra = [
  { at: at(1, 0) - 120 * DAY, ...window('monthly', Date.UTC(2026, 4, 31, 22, 30), 'monthly', 120) },
  { at: at(1, 0) - 90 * DAY, ...window('weekly', at(2, 1) - 70 * DAY, 'weekly') },
  { at: at(1, 0) - 90 * DAY, ...window('daily', at(1, 23.5) - 80 * DAY, 'daily') },
  { at: at(8, 0), type: 'MaintenanceCancelled', data: { windowId: 'daily', at: iso(at(7, 23.7)), keepsPast: true } },
  { at: at(21, 0), ...window('afterwards', at(20, 1.5), null) },
  { at: at(21, 0), ...window('withdrawn', at(20, 9), null) },
  { at: at(22, 0), type: 'MaintenanceCancelled', data: { windowId: 'withdrawn', at: iso(at(22, 0)), keepsPast: false } },
  suspicion(15, 'down'),
  suspicion(16, 'timeout'),
  { at: at(17, 4), type: 'UptimeInstabilityCounted', ...uptime, data: { from: iso(at(17, 1)), to: iso(at(17, 2)), unconfirmed: 9 } },
  {
    ...{ at: at(20, 1.2), type: 'UptimeFailureChanged', ...uptime },
    data: { since: iso(at(20, 1.1)), to: 'timeout', evidence: { reason: null } },
  },
  {
    ...{ at: at(25, 1), type: 'CheckCorrected', stream: 'check-1' },
    data: { checkId: 'c', from: iso(at(9, 0)), to: iso(at(10, 0)), reason: 'old rule', runs: 3, judged: 2, changed: 1 },
  },
];
const outages = [
  { from: at(3, 23.5), to: at(4, 0.5) + 1, state: 'down' as const, reason: 'the server answered with HTTP status 500' },
  { from: at(10, 6), to: at(10, 6.2) - 1, state: 'timeout' as const, reason: 'no whole answer in time' },
  { from: at(20, 1), to: at(20, 2), state: 'down' as const, reason: 'connection refused' },
];
const rounding = { decimals: 6, mode: 'nearest' as const };
const objective: ServiceObjective = {
  ...{ target: { percent: 99.8765, window: 'month' as const }, offsetMinutes: 0 },
  credits: [
    { below: 99.8, percent: 10 },
    { below: 99.7, percent: 25 },
  ],
  methods: [
    standardMethod,
    { ...standardMethod, name: 'all', maintenance: 'all', rounding, unknown: 'down' },
    { ...standardMethod, name: 'strict', maintenance: 'none', rounding, down: { unconfirmed: true, timeouts: true } },
    { ...standardMethod, name: 'mild', down: { unconfirmed: true, timeouts: false } },
  ],
};

const log = octoberLog({ outages, objective, extra });
let file: StatementFile;
beforeAll(async () => {
  file = await octoberFile(log);
});

interface Editable {
  readonly figures: { availability: number; days: { upMs: number }[]; credit: number }[];
  readonly responseTimes: { p99: number };
  readonly days: object[];
  checkpoint: string;
}

const audited = (text: string) => auditStatement(text, signer.verifierKey);
async function saidOf(edit: (copy: Editable) => unknown): Promise<string> {
  const copy = JSON.parse(file.text) as Editable;
  edit(copy);
  const { status, said } = await audited(`${canonicalJson(copy)}\n`);
  return `${String(status)} ${said}`;
}

(hasPython ? describe : describe.skip)('the Python verifier of docs/auditing.md', () => {
  it('computes every figure of a statement as the service does, from the file and from the data', async () => {
    const { figures } = JSON.parse(file.text) as Editable;
    const equal = { status: 0, said: expect.stringContaining(`equal: standard ${String(figures[0]?.availability)} %, all `) };
    expect(await audited(file.text)).toEqual(equal);
    expect(await audited(joinFile(file))).toEqual(equal);
    const without = log.filter(({ data }) => !('day' in data) || data.day !== '2026-10-15').map((event, n) => ({ ...event, n }));
    expect(await audited(await octoberStatement(without))).toMatchObject({ status: 0 });
    expect(await audited(await octoberStatement(octoberLog({ outages: [], objective: null })))).toMatchObject({ status: 0 });
    expect(await audited(await octoberStatement(octoberLog({ outages, objective: noObjective })))).toMatchObject({ status: 0 });
  });

  it('names an edited figure and a removed day', async () => {
    const edits: readonly (readonly [string, (copy: Editable) => unknown])[] = [
      ['1 figures.1.availability: the statement says 99.9999', ({ figures }) => Object.assign(figures[1] ?? {}, { availability: 99.9999 })],
      ['1 figures.2.credit: the statement says 0', ({ figures }) => Object.assign(figures[2] ?? {}, { credit: 0 })],
      ['1 figures.2.days.4.upMs: ', ({ figures }) => Object.assign(figures[2]?.days[4] ?? {}, { upMs: 1 })],
      ['1 responseTimes.p99: ', ({ responseTimes }) => Object.assign(responseTimes, { p99: 1 })],
      ['1 days: ', ({ days }) => days.splice(14, 1)],
    ];
    for (const [named, edit] of edits) expect(await saidOf(edit)).toContain(named);
  });

  it('finds a changed byte in the data and in the page, another log, and another key', async () => {
    expect(await audited(file.text.replace('status 500', 'status 501'))).toMatchObject({
      status: 1,
      said: expect.stringContaining('does not stand in the log like this'),
    });
    expect(await audited(file.text.replace('"title":"Shop', '"title":"Chop'))).toEqual({
      status: 1,
      said: 'the signature is not of this text\n',
    });
    expect(await audited(joinFile(file).replace('<title>', '<title>x'))).toEqual({
      status: 1,
      said: 'the page is not the one that was signed\n',
    });
    const other = JSON.parse(await octoberStatement(octoberLog({ outages: [], objective }))) as Editable;
    expect(await saidOf((copy) => Object.assign(copy, { checkpoint: other.checkpoint }))).toContain('does not stand in the log like this');
    const strange = signerOf('other.example/log').verifierKey;
    expect(await auditStatement(file.text, strange)).toEqual({ status: 1, said: 'not signed by this key\n' });
  });
});
