import type { Schemas } from '../../client/types.ts';
import { isObject } from '../../kernel/is-object.ts';
import { counted, shortened } from '../../kernel/text.ts';
import type { PlannedDocuments } from './server-plans.ts';

type Plan = Schemas['SitePlan'];
type Change = Schemas['PlannedChange'];

const COLORS = { create: 32, change: 33, delete: 31, none: 2, error: 31 } as const;
const MARKS = { create: '+', change: '~', delete: '-', none: ' ' } as const;
const MAX_VALUE = 100;
/** Characters before the first difference. */
const LEAD = 20;

/** Colours for a terminal; plain elsewhere and where `NO_COLOR` is set. */
export type Paint = (kind: keyof typeof COLORS, text: string) => string;
export const paintFor = (isTerminal: boolean): Paint =>
  isTerminal && (process.env['NO_COLOR'] ?? '') === ''
    ? (kind, text) => `\u001b[${String(COLORS[kind])}m${text}\u001b[0m`
    : (_, text) => text;

/** What plans change, field by field. */
export function planText({ projects, statusPages }: PlannedDocuments, paint: Paint): string {
  const shown = projects.filter(({ action, unlisted, error }) => action !== 'none' || unlisted.length > 0 || error !== null);
  const pages = statusPages.filter(({ action, error }) => action !== 'none' || error !== null);
  return [
    ...shown.flatMap((plan) => linesOf(plan, paint)),
    ...pages.flatMap((plan) => pageLines(plan, paint)),
    ...(projects.length > 0 || statusPages.length === 0 ? [sumOf(projects, 'site')] : []),
    ...(statusPages.length > 0 ? [sumOf(statusPages, 'status page')] : []),
  ].join('\n');
}

function pageLines({ slug, file, action, changes, error }: Schemas['StatusPagePlan'], paint: Paint): readonly string[] {
  if (error !== null) return [paint('error', `✗ status page ${slug} (${file}): ${inert(error.message)}`)];
  return [paint(action, `${MARKS[action]} status page ${slug} (${file})`), ...changes.flatMap((change) => fieldLines(change, paint))];
}

function linesOf({ key, file, action, changes, unlisted, history, error }: Plan, paint: Paint): readonly string[] {
  if (error !== null) return [paint('error', `✗ ${key} (${file}): ${inert(error.message)}`)];
  return [
    paint(action, `${MARKS[action]} ${key} (${file})`),
    ...changes.flatMap((change) => changeLines(change, paint)),
    ...history.map(
      ({ name, runs, judged, changed, newFailures, goneFailures }) =>
        `    ? check ${inert(name)}: of ${counted(runs, 'run')} ${String(judged)} judged again, ${String(changed)} differ; ${counted(newFailures.length, 'new failure')}, ${String(goneFailures.length)} gone`,
    ),
    ...unlisted.flatMap(({ kind, name, createdBy }) => [
      paint('none', `    not in the file: ${kind} ${inert(name)}; it stays without --prune`),
      ...blame(createdBy, 'created', paint),
    ]),
  ];
}

export function changeLines(change: Change, paint: Paint): readonly string[] {
  const { action, kind, name } = change;
  return [paint(action, `    ${MARKS[action]} ${kind}${name === '' ? '' : ` ${inert(name)}`}`), ...fieldLines(change, paint)];
}

const fieldLines = ({ action, fields }: Change, paint: Paint): readonly string[] =>
  fields.flatMap(({ field, from, to, changedBy }) => [
    ...(action === 'create' ? [`        ${field}: ${cut(jsonOf(to))}`] : changedLines({ field, from, to })),
    ...blame(changedBy, 'changed', paint),
  ]);

interface Member {
  readonly field: string;
  readonly from: unknown;
  readonly to: unknown;
}

/** Both sides of a hidden value read alike. */
function changedLines(change: Member): readonly string[] {
  const members = changedMembers(change.field, change.from, change.to);
  return (members.length === 0 ? [change] : members).map(memberLine);
}

/** What differs within a value: a person confirms what this says, so a change must not lie beyond the end of a line. */
function changedMembers(field: string, from: unknown, to: unknown): readonly Member[] {
  const areLists = Array.isArray(from) && Array.isArray(to);
  if (!areLists && !(isObject(from) && isObject(to))) return jsonOf(from) === jsonOf(to) ? [] : [{ field, from, to }];
  const [left, right] = [new Map(Object.entries(from)), new Map(Object.entries(to))];
  return [...new Set([...left.keys(), ...right.keys()])].flatMap((name) =>
    changedMembers(`${field}.${name}`, left.get(name), right.get(name)),
  );
}

/** Two long values are shown from shortly before their first difference on. */
function memberLine({ field, from, to }: Member): string {
  const [left, right] = [jsonOf(from), jsonOf(to)];
  let same = 0;
  while (same < left.length && left[same] === right[same]) same++;
  const start = Math.max(left.length, right.length) > MAX_VALUE && same > MAX_VALUE / 2 ? same - LEAD : 0;
  return `        ${field}: ${cut(left, start)} → ${cut(right, start)}`;
}

const cut = (text: string, start = 0): string => (start === 0 ? '' : '…') + shortened(text.slice(start), MAX_VALUE);
const jsonOf = (value: unknown): string => inert(JSON.stringify(value) ?? 'nothing');

/** A name of others begins no line and moves no cursor. */
const inert = (text: string): string =>
  text.replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (char) => `\\u${(char.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`);

/** Who did what the file does not say. */
function blame(change: Schemas['ForeignChange'] | null, verb: string, paint: Paint): readonly string[] {
  if (change === null) return [];
  const { actor, recordedAt, event } = change;
  const who = `${actor.kind} ${inert(actor.name ?? actor.id)}`;
  return [
    paint(
      'none',
      `            ${verb} by ${who} on ${recordedAt.slice(0, 10)} at ${recordedAt.slice(11, 16)} UTC, event ${event}, not in the file`,
    ),
  ];
}

function sumOf(plans: readonly Pick<Plan, 'action' | 'error'>[], what: string): string {
  const of = (action: Plan['action']): number => plans.filter((plan) => plan.action === action && plan.error === null).length;
  const failed = plans.filter(({ error }) => error !== null).length;
  const parts = [`${String(of('create'))} to create`, `${String(of('change'))} to change`, `${String(of('none'))} unchanged`];
  return `${counted(plans.length, what)}: ${[...parts, ...(failed > 0 ? [`${String(failed)} refused`] : [])].join(', ')}`;
}
