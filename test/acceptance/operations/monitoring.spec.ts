import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { TestAccounts } from '../../support/test-accounts.ts';
import { TestService } from '../../support/service.ts';

const fileOf = (name: string): string => readFileSync(resolve(import.meta.dirname, '../../../docs/monitoring', name), 'utf8');

interface Panel {
  readonly title: string;
  readonly type: string;
  readonly targets?: readonly { readonly expr: string }[];
}
interface Board {
  readonly panels: readonly Panel[];
  readonly templating: { readonly list: readonly { readonly query: string }[] };
}
interface Rules {
  readonly groups: readonly {
    readonly rules: readonly {
      readonly alert: string;
      readonly expr: string;
      readonly for?: string;
      readonly labels: { readonly severity: string };
      readonly annotations: { readonly summary: string };
    }[];
  }[];
}

/** The alert tests in promtool's format (docs/monitoring/alerts.test.yaml). */
interface RuleTests {
  readonly tests: readonly {
    readonly alert_rule_test: readonly { readonly alertname: string; readonly exp_alerts: readonly unknown[] }[];
  }[];
}

const board = JSON.parse(fileOf('grafana.json')) as Board;
const rules = (parse(fileOf('alerts.yaml')) as Rules).groups.flatMap((group) => group.rules);
const expressions = [
  ...rules.map(({ alert, expr }) => [`alert ${alert}`, expr] as const),
  ...board.panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => [`panel ${title}`, expr] as const)),
];

/** A metric that the service exports. */
interface Family {
  readonly type: string;
  readonly labels: ReadonlySet<string>;
}
/** Labels that Prometheus adds to every series. */
const ADDED = ['job', 'instance'];

let service: TestService;
let exported: ReadonlyMap<string, Family>;
let text: string;

beforeAll(async () => {
  const elsewhere = { CHECKPOINT_URL: 'http://127.0.0.1:9/', READ_URL: 'postgres://watchledger@127.0.0.1:9/away' };
  service = await TestService.start({ env: { REGISTRATION: 'open', ALLOW_TARGETS: '127.0.0.0/8', ...elsewhere } });
  const people = new TestAccounts(service);
  await people.project(await people.register());
  text = await (await fetch(`${service.url}/metrics`)).text();
  exported = familiesOf(text);
});
afterAll(() => service.stop());

function familiesOf(metrics: string): ReadonlyMap<string, Family> {
  const found = new Map<string, Family>();
  for (const [, name = '', type = ''] of metrics.matchAll(/^# TYPE (\S+) (\S+)$/gm)) {
    const series = type === 'histogram' ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name];
    for (const one of series) found.set(one, { type, labels: labelsIn(metrics, one) });
  }
  return found;
}

const labelsIn = (metrics: string, series: string): ReadonlySet<string> =>
  new Set(
    [...metrics.matchAll(new RegExp(`^${series}\\{([^}]*)\\}`, 'gm'))].flatMap(([, inner = '']) =>
      [...inner.matchAll(/(\w+)="/g)].map(([, label = '']) => label),
    ),
  );

/** Every series name in an expression, with the labels that it selects by. */
const selectorsOf = (expr: string): readonly (readonly [string, readonly string[]])[] =>
  [...expr.matchAll(/\b((?:watchledger|nodejs|process)_\w+)(?:\{([^}]*)\})?/g)].map(([, name = '', inner = '']) => [
    name,
    [...inner.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)].map(([, label = '']) => label),
  ]);

describe('dashboards and alert rules', () => {
  it.each(expressions)('%s uses only metrics that a running service exports', (_, expr) => {
    const selectors = selectorsOf(expr);
    expect(selectors.length).toBeGreaterThan(0);
    for (const [name, labels] of selectors) {
      expect([...exported.keys()]).toContain(name);
      const known = exported.get(name)?.labels ?? new Set();
      // An empty histogram exports no labels.
      if (known.size > 0) expect(labels.filter((label) => !known.has(label) && !ADDED.includes(label))).toEqual([]);
    }
  });

  it.each(expressions)('%s has balanced parentheses', (_, expr) => {
    for (const [open, close] of ['()', '{}', '[]'] as const) expect(expr.split(open ?? '')).toHaveLength(expr.split(close ?? '').length);
  });

  it('use rate() on counters and only on counters', () => {
    for (const [where, expr] of expressions)
      for (const [, call = '', name = ''] of expr.matchAll(/\b(rate|increase|deriv)\((\w+)/g)) {
        const type = exported.get(name)?.type;
        expect([where, call, type === 'gauge']).toEqual([where, call, call === 'deriv']);
      }
  });

  it('alerts state severity and summary', () => {
    expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length);
    for (const { alert, labels, annotations, for: patience = '1m' } of rules) {
      expect(alert).toMatch(/^Watchledger[A-Z]\w+$/);
      expect(['warning', 'critical']).toContain(labels.severity);
      expect(annotations.summary.length).toBeGreaterThan(10);
      expect(patience).toMatch(/^\d+m$/);
    }
  });

  it('every alert fires in its rule test and stays silent for a healthy service', () => {
    const { tests } = parse(fileOf('alerts.test.yaml')) as RuleTests;
    const provoked = new Set<string>();
    const quiet = new Set<string>();
    for (const { alert_rule_test } of tests)
      for (const { alertname, exp_alerts } of alert_rule_test) (exp_alerts.length > 0 ? provoked : quiet).add(alertname);
    const all = rules.map(({ alert }) => alert).sort();
    expect([...provoked].sort()).toEqual(all);
    expect([...quiet].sort()).toEqual(all);
  });

  it('every alert is explained in docs/operations.md', () => {
    const page = readFileSync(resolve(import.meta.dirname, '../../../docs/operations.md'), 'utf8');
    expect(rules.map(({ alert }) => alert).filter((alert) => !page.includes(`\`${alert}\``))).toEqual([]);
  });

  it('every metric of the service is on the dashboard', () => {
    const shown = new Set(
      board.panels.flatMap(({ targets = [] }) => targets.flatMap(({ expr }) => selectorsOf(expr).map(([name]) => name))),
    );
    const ours = [...text.matchAll(/^# TYPE (watchledger_\S+) /gm)].map(([, name = '']) => name);
    const isShown = (name: string): boolean => ['', '_bucket', '_count', '_sum'].some((suffix) => shown.has(`${name}${suffix}`));
    expect(ours.filter((name) => !isShown(name))).toEqual([]);
  });

  it('metric names end with their Prometheus unit', () => {
    const ours = [...text.matchAll(/^# TYPE (watchledger_\S+) (\S+)$/gm)].map(([, name = '', type = '']) => [name, type] as const);
    for (const [name, type] of ours) {
      expect([name, type === 'counter']).toEqual([name, name.endsWith('_total')]);
      if (type === 'histogram') expect(name).toMatch(/_seconds$/);
      expect(name).not.toMatch(/(_ms|_milliseconds|_kb|_mb)$/);
    }
  });
});
