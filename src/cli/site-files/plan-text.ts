import type { Schemas } from '../../client/types.ts';
import { shortened } from '../../kernel/shortened.ts';
import { counted } from './counted.ts';

type Plan = Schemas['SitePlan'];
type Change = Schemas['PlannedChange'];

const COLORS = { create: 32, change: 33, delete: 31, none: 2, error: 31 } as const;
const MARKS = { create: '+', change: '~', delete: '-', none: ' ' } as const;
const MAX_VALUE = 100;

/** Colours for a terminal; plain elsewhere and where `NO_COLOR` is set. */
export type Paint = (kind: keyof typeof COLORS, text: string) => string;
export const paintFor = (isTerminal: boolean): Paint =>
  isTerminal && (process.env['NO_COLOR'] ?? '') === ''
    ? (kind, text) => `\u001b[${String(COLORS[kind])}m${text}\u001b[0m`
    : (_, text) => text;

/** What plans change, field by field. */
export function planText(plans: readonly Plan[], paint: Paint): string {
  const shown = plans.filter(({ action, unlisted, error }) => action !== 'none' || unlisted.length > 0 || error !== null);
  return [...shown.flatMap((plan) => linesOf(plan, paint)), sumOf(plans)].join('\n');
}

function linesOf({ key, file, action, changes, unlisted, history, error }: Plan, paint: Paint): readonly string[] {
  if (error !== null) return [paint('error', `✗ ${key} (${file}): ${error.message}`)];
  return [
    paint(action, `${MARKS[action]} ${key} (${file})`),
    ...changes.flatMap((change) => changeLines(change, paint)),
    ...history.map(
      ({ name, runs, judged, changed, newFailures, goneFailures }) =>
        `    ? check ${name}: of ${counted(runs, 'run')} ${String(judged)} judged again, ${String(changed)} differ; ${counted(newFailures.length, 'new failure')}, ${String(goneFailures.length)} gone`,
    ),
    ...unlisted.flatMap(({ kind, name, createdBy }) => [
      paint('none', `    not in the file: ${kind} ${name}; it stays without --prune`),
      ...blame(createdBy, 'created', paint),
    ]),
  ];
}

export function changeLines({ action, kind, name, fields }: Change, paint: Paint): readonly string[] {
  const title = `    ${MARKS[action]} ${kind}${name === '' ? '' : ` ${name}`}`;
  const lines = fields.flatMap(({ field, from, to, changedBy }) => [
    action === 'create' ? `        ${field}: ${shownValue(to)}` : `        ${field}: ${shownValue(from)} → ${shownValue(to)}`,
    ...blame(changedBy, 'changed', paint),
  ]);
  return [paint(action, title), ...lines];
}

/** Who did what the file does not say. */
function blame(change: Schemas['ForeignChange'] | null, verb: string, paint: Paint): readonly string[] {
  if (change === null) return [];
  const { actor, recordedAt, event } = change;
  const who = `${actor.kind} ${actor.name ?? actor.id}`;
  return [
    paint(
      'none',
      `            ${verb} by ${who} on ${recordedAt.slice(0, 10)} at ${recordedAt.slice(11, 16)} UTC, event ${event}, not in the file`,
    ),
  ];
}

const shownValue = (value: unknown): string =>
  shortened(typeof value === 'string' ? JSON.stringify(value) : (JSON.stringify(value) ?? 'nothing'), MAX_VALUE);

function sumOf(plans: readonly Plan[]): string {
  const of = (action: Plan['action']): number => plans.filter((plan) => plan.action === action && plan.error === null).length;
  const failed = plans.filter(({ error }) => error !== null).length;
  const parts = [`${String(of('create'))} to create`, `${String(of('change'))} to change`, `${String(of('none'))} unchanged`];
  return `${counted(plans.length, 'site')}: ${[...parts, ...(failed > 0 ? [`${String(failed)} refused`] : [])].join(', ')}`;
}
