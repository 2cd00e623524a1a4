import type { Schemas } from '../../client.ts';
import type { ShownOperator } from './rule-words.ts';

export interface DraftRule {
  /** Identifies the rule on this page only, so that a field stays the same while others come and go. */
  readonly key: number;
  readonly type: string;
  readonly op: ShownOperator;
  readonly val: string;
}

export interface DraftExtraction {
  readonly name: string;
  readonly from: string;
  readonly secret: boolean;
}

/** How the page is asked for. Headers and body come masked; sent back as they came, they stay as they are. */
export interface DraftRequest {
  readonly method: NonNullable<Schemas['Test']['options']['method']>;
  /** One a line. */
  readonly headers: string;
  readonly body: string;
  readonly contentType: string;
  readonly followsRedirects: boolean;
  /** Values for later checks of the group. */
  readonly extract: readonly DraftExtraction[];
  /** Names of values of earlier checks, separated by spaces. */
  readonly uses: string;
}

/** A check as its form holds it. */
export interface CheckDraft {
  readonly name: string;
  readonly url: string;
  readonly enabled: boolean;
  /** Empty when it has none. */
  readonly areaId: string;
  readonly notice: string;
  readonly rules: readonly DraftRule[];
  readonly request: DraftRequest;
}

type SavedCheck = Pick<Schemas['Test'], 'name' | 'url' | 'enabled' | 'areaId' | 'notice' | 'rules' | 'options'>;
type SentOptions = NonNullable<Schemas['NewTest']['options']>;

const plainRequest: DraftRequest = {
  method: 'GET',
  headers: '',
  body: '',
  contentType: '',
  followsRedirects: true,
  extract: [],
  uses: '',
};

export const emptyDraft: CheckDraft = {
  name: '',
  url: '',
  enabled: true,
  areaId: '',
  notice: '',
  request: plainRequest,
  rules: [{ key: 0, type: 'status', op: 'eq', val: '200' }],
};

export const draftOf = ({ name, url, enabled, areaId, notice, rules, options }: SavedCheck): CheckDraft => ({
  name,
  url,
  enabled,
  areaId,
  notice,
  rules: draftRules(rules),
  request: {
    method: options.method ?? 'GET',
    headers: options.w,
    body: options.body ?? '',
    contentType: options.contentType ?? '',
    followsRedirects: !options.l,
    extract: (options.extract ?? []).map(({ name: as, from, secret }) => ({ name: as, from, secret: secret !== false })),
    uses: (options.uses ?? []).join(' '),
  },
});

export const draftRules = (rules: readonly Omit<DraftRule, 'key'>[]): readonly DraftRule[] =>
  rules.map(({ type, op, val }, key) => ({ key, type, op, val }));

/** The rules as the API accepts them: those without a value say nothing yet. */
export const rulesOf = ({ rules }: Pick<CheckDraft, 'rules'>): readonly Omit<DraftRule, 'key'>[] =>
  rules.flatMap(({ type, op, val }) => (type === '' || val === '' ? [] : [{ type, op, val }]));

/** The request as the API accepts it, without extractions that are not filled in. */
export function optionsOf({ request }: Pick<CheckDraft, 'request'>): SentOptions {
  const { method, headers, body, contentType, followsRedirects, extract, uses } = request;
  return {
    method,
    w: headers,
    body,
    contentType,
    l: !followsRedirects,
    extract: extract.filter(({ name, from }) => name !== '' && from !== '').map((one) => ({ ...one })),
    uses: uses.split(/\s+/).filter((name) => name !== ''),
  };
}

/** For what answers keep secret. */
const MASK = '********';

/** The request as it can be tried: without what only the service knows. */
export function triedOptionsOf({ request }: Pick<CheckDraft, 'request'>): SentOptions {
  const headers = request.headers.split('\n').filter((line) => !line.includes(MASK));
  return optionsOf({ request: { ...request, headers: headers.join('\n'), body: request.body === MASK ? '' : request.body } });
}

/** Whether a trial lacks something of the saved request. */
export const hasSecrets = ({ request: { headers, body } }: Pick<CheckDraft, 'request'>): boolean => `${headers}\n${body}`.includes(MASK);

/** What of the draft differs from what is saved, as the API takes it: the rest stays as others have set it. */
export function draftChanges(before: CheckDraft, after: CheckDraft): Schemas['TestPatch'] {
  const [oldOptions, options] = [optionsOf(before), optionsOf(after)];
  const differs = (one: unknown, other: unknown): boolean => JSON.stringify(one) !== JSON.stringify(other);
  const changed = Object.entries(options).filter(([name, value]) => differs(oldOptions[name as keyof SentOptions], value));
  return {
    ...(after.name !== before.name && { name: after.name }),
    ...(after.url !== before.url && { url: after.url }),
    ...(after.enabled !== before.enabled && { enabled: after.enabled }),
    ...(after.areaId !== before.areaId && { areaId: after.areaId }),
    ...(after.notice !== before.notice && { notice: after.notice }),
    ...(differs(rulesOf(before), rulesOf(after)) && { rules: [...rulesOf(after)] }),
    ...(changed.length > 0 && { options: Object.fromEntries(changed) }),
  };
}

const counted = (number: number, what: string): string => `${String(number)} ${what}${number === 1 ? '' : 's'}`;

/** What saving would change, as a sentence; empty: nothing. */
export function changesSentence(before: CheckDraft, after: CheckDraft): string {
  const { name, url, enabled, areaId, notice, options } = draftChanges(before, after);
  const parts = [
    name === undefined ? '' : `renames it to “${after.name}”`,
    url === undefined ? '' : `fetches ${after.url}`,
    enabled === undefined ? '' : `switches it ${after.enabled ? 'on' : 'off'}`,
    areaId === undefined ? '' : 'moves it to another group',
    ...rulesSentence(rulesOf(before), rulesOf(after)),
    options === undefined ? '' : 'changes how the page is asked for',
    notice === undefined ? '' : 'changes its note',
  ].filter((part) => part !== '');
  return parts.length === 0 ? '' : `Saving ${parts.join(', ')}.`;
}

/** What changes of a list of rules, in parts of a sentence. */
export function rulesSentence(before: readonly Omit<DraftRule, 'key'>[], after: readonly Omit<DraftRule, 'key'>[]): readonly string[] {
  const text = (rules: typeof before): readonly string[] => rules.map(({ type, op, val }) => JSON.stringify([type, op, val]));
  const [old, wanted] = [text(before), text(after)];
  const [more, fewer] = [wanted.filter((rule) => !old.includes(rule)).length, old.filter((rule) => !wanted.includes(rule)).length];
  // One that is there before and after with other words was changed.
  const changed = Math.min(more, fewer);
  const [added, removed] = [more - changed, fewer - changed];
  const isOrder = more === 0 && fewer === 0 && old.join() !== wanted.join();
  return [
    changed === 0 ? '' : `changes ${counted(changed, 'rule')}`,
    added === 0 ? '' : `adds ${counted(added, 'rule')}`,
    removed === 0 ? '' : `removes ${counted(removed, 'rule')}`,
    isOrder ? 'changes the order of its rules' : '',
  ];
}

/**
 * What was typed and not saved, by check: the back button loses nothing, nor does signing in again after a lost session. Never on the disk, and ended by
 * signing out or another account: a draft may hold secrets.
 */
const kept = new Map<string, CheckDraft>();
let keeper: string | null = null;

/** Drafts of another account end. Null: no account is signed in. */
export function keepDraftsOf(account: string | null): void {
  if (account !== keeper) kept.clear();
  keeper = account;
}

export const keptDraft = (key: string): CheckDraft | null => kept.get(key) ?? null;

/** A null draft was saved, or given up. */
export function keepDraft(key: string, draft: CheckDraft | null): void {
  if (draft === null) kept.delete(key);
  else kept.set(key, draft);
}
