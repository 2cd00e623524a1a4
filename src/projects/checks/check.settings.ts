import type { Sealed } from '../../kernel/event.ts';
import type { Extraction } from './extraction.ts';
import type { Rule } from './rule.ts';

export const checkTypes = ['homepage', 'simple', 'favicon', 'robots'] as const;
export type CheckType = (typeof checkTypes)[number];

export const checkMethods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;
export type CheckMethod = (typeof checkMethods)[number];

/** Whether a check may send a body with the method. */
export const hasBody = (method: CheckMethod): boolean => method !== 'GET' && method !== 'HEAD' && method !== 'OPTIONS';

/** docs/spec/interface.md#test-check; from `method` on docs/spec/decisions.md#T18. */
export interface CheckOptions {
  /** HTTP/1 only. */
  readonly '2': boolean;
  /** IPv6 only. */
  readonly '6': boolean;
  /** No compressed answers. */
  readonly g: boolean;
  /** Redirects are not followed. */
  readonly l: boolean;
  /** Extra headers, which may hold a secret: sealed with the project's key; null when there are none. */
  readonly w: Sealed | null;
  /** GET unless set. */
  readonly method?: CheckMethod;
  /** The type of the body. */
  readonly contentType?: string;
  /** May hold a secret, as extra headers: sealed with the project's key, with the origin that it was given for. */
  readonly body?: Sealed | null;
  /** Values for later checks of the group (docs/spec/decisions.md#T19). */
  readonly extract?: readonly Extraction[];
  /** Names of values of earlier checks of the group; `{{name}}` is replaced by them in `url`, `w` and `body`. */
  readonly uses?: readonly string[];
}

export interface CheckSettings {
  /** An empty name is replaced by the page's title, once it was seen (docs/spec/decisions.md#T1). */
  readonly name: string;
  readonly url: string;
  readonly enabled: boolean;
  readonly notice: string;
  readonly type: CheckType;
  readonly rules: readonly Rule[];
  readonly options: CheckOptions;
  readonly template: { readonly id: string; readonly vars: readonly string[] };
  /** The name of the check in site files, which has no other use (docs/spec/beyond.md#B10). */
  readonly key?: string | null;
}

/** A partial change of a check. Only the named members of its options and template change, so concurrent changes of different members are all kept. */
export interface WantedCheck extends Partial<Omit<CheckSettings, 'options' | 'template'>> {
  readonly areaId?: string;
  readonly options?: Partial<CheckSettings['options']>;
  readonly template?: Partial<CheckSettings['template']>;
}
