import type { Sealed } from '../../kernel/event.ts';
import { isUrl, originOf } from '../../kernel/url.ts';
import type { Period } from '../project.settings.ts';

/** A rule of a group, as `projects/checks/rule.ts` says it; the groups keep them in blocks (docs/spec/decisions.md#T7). */
export interface GroupRule {
  readonly type: string;
  readonly op: string;
  readonly val: string;
}

export const areaPeriods = ['5 minutes', '30 minutes', '1 hour', '8 hours', '1 day', '7 days', 'true', 'false'] as const;
/** `true` follows the project, `false` is manual. */
export type AreaPeriod = (typeof areaPeriods)[number];

const MINUTE = 60;
const seconds: Readonly<Record<Period, number | null>> = {
  '5 minutes': 5 * MINUTE,
  '30 minutes': 30 * MINUTE,
  '1 hour': 60 * MINUTE,
  '8 hours': 480 * MINUTE,
  '1 day': 1_440 * MINUTE,
  '7 days': 10_080 * MINUTE,
  false: null,
};

/** Seconds between two automatic starts of a group; null when it is started by hand. */
export const secondsBetweenStarts = (area: AreaPeriod, project: Period): number | null => seconds[area === 'true' ? project : area];

/** Markup that is kept beside the log. `length` in characters. */
export interface KeptHtml {
  readonly sha256: string;
  readonly length: number;
}

/** The sign-in form of a group; its parameters are secrets, sealed with the project's key. */
export interface AreaForm {
  readonly identifier: string;
  readonly enabled: boolean;
  readonly method: 'GET' | 'POST';
  readonly action: string;
  readonly originalAction: string;
  readonly relativeAction: string;
  readonly baseUrl: string;
  readonly params: Sealed | null;
  /** Empty, except in events from before the markup was kept beside the log. */
  readonly html: string;
  /** Absent where `html` holds the markup itself; null without markup. */
  readonly keptHtml?: KeptHtml | null;
  readonly checksum: string;
}

/** A sign-in form as it was found, and the saved form that was submitted. */
export interface FormFinding {
  readonly saved: Pick<AreaForm, 'identifier' | 'baseUrl' | 'checksum'>;
  /** Its checksum. */
  readonly found: string;
}

/** The form that clients see where a group has none (docs/spec/decisions.md#empty-and-first-values). */
export const emptyForm: AreaForm = {
  identifier: '',
  enabled: false,
  method: 'GET',
  action: '',
  originalAction: '',
  relativeAction: '',
  baseUrl: '',
  params: null,
  html: '',
  keptHtml: null,
  checksum: '',
};

/** The only origin that a saved form is submitted to: that of its action, or without one that of its page, wherever that page redirects to. */
export function submissionOrigin({ action, baseUrl }: Pick<AreaForm, 'action' | 'baseUrl'>, projectUrl: string): string {
  const page = baseUrl || projectUrl;
  return originOf(isUrl(action, page) ? new URL(action, page).href : page);
}

export interface AreaSignIn {
  readonly user: string;
  readonly password: Sealed | null;
  readonly url: string;
}

export interface AreaSettings {
  readonly name: string;
  readonly public: boolean;
  readonly rules: readonly (readonly GroupRule[])[];
  readonly form: AreaForm | null;
  readonly httpAuth: AreaSignIn | null;
  readonly period: AreaPeriod;
  /** Extra headers, sealed; null when there are none. */
  readonly headers: Sealed | null;
  /** The name of the group in site files, which has no other use (docs/spec/beyond.md#B10). */
  readonly key?: string | null;
}

/** A partial change of a group. Only the named members of its form and HTTP sign-in change, so concurrent changes of different members are all kept. */
export interface WantedArea extends Partial<Omit<AreaSettings, 'form' | 'httpAuth'>> {
  readonly form?: Partial<AreaForm>;
  readonly httpAuth?: Partial<AreaSignIn>;
}

/** The group that is made where a check needs one (docs/spec/decisions.md#empty-and-first-values). */
export const publicArea: AreaSettings = {
  name: 'Public',
  public: true,
  rules: [],
  form: null,
  httpAuth: null,
  period: 'true',
  headers: null,
};
