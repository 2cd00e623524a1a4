import type { ImportedHistory } from './counted-days.ts';
import type { ImportedWindow } from './maintenance-windows.ts';
import type { SecretText } from './source-secrets.ts';
import type { ImportedRule } from './imported-site.ts';

/** A check over HTTP as most sources have it: one address with its own schedule. */
export interface Monitor {
  /** Its name for as long as it exists in the source. */
  readonly id: string;
  readonly name: string;
  readonly url: string;
  readonly group?: { readonly id: string; readonly name: string };
  readonly isPaused?: boolean;
  readonly everySeconds?: number;
  readonly timeoutSeconds?: number;
  readonly rules: readonly ImportedRule[];
  readonly method?: string;
  readonly headers?: readonly (readonly [name: string, value: SecretText])[];
  readonly contentType?: string;
  readonly body?: SecretText;
  readonly signIn?: { readonly user: string; readonly password: SecretText };
  readonly ignoresRedirects?: boolean;
  readonly isIpv6Only?: boolean;
  readonly isHttp1Only?: boolean;
  readonly notice?: string;
  readonly tags?: readonly string[];
  /** How many days before the certificate expires its source warns. */
  readonly certificateDays?: number;
  readonly location?: string;
  /** The host to whose site it belongs, although its address is of another. */
  readonly siteHost?: string;
  /** Its maintenance; a site has what all of its monitors have. */
  readonly maintenance?: readonly ImportedWindow[];
  /** What its source measured. */
  readonly history?: ImportedHistory;
  /** Values of its answer for later monitors of its group (docs/journeys.md). */
  readonly extract?: readonly object[];
  /** Names of such values, which stand as `{{name}}` in its request. */
  readonly uses?: readonly string[];
}

/** As the report names it: names are unique within a group at most. */
export const labelOf = ({ name, group }: Pick<Monitor, 'name' | 'group'>): string =>
  group === undefined ? name : `${group.name} / ${name}`;
