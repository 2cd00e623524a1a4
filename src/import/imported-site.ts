import type { CheckMethod } from '../projects/checks/check.settings.ts';
import type { AreaForm, AreaPeriod } from '../projects/areas/area.settings.ts';
import type { NotificationSettings } from '../alerts/preferences/preference.settings.ts';
import type { SiteSettings } from '../projects/writable-settings.dto.ts';
import type { ImportedWindow } from './maintenance-windows.ts';

export interface ImportedRule {
  readonly type: string;
  readonly op: string;
  readonly val: string;
  readonly origin?: string;
}

export interface ImportedCheckOptions {
  readonly '2'?: true;
  readonly '6'?: true;
  readonly g?: true;
  readonly l?: true;
  readonly w?: string;
  readonly method?: CheckMethod;
  readonly contentType?: string;
  readonly body?: string;
  readonly extract?: readonly unknown[];
  readonly uses?: readonly unknown[];
}

export interface ImportedCheck {
  readonly key: string;
  readonly name: string;
  readonly url: string;
  readonly enabled?: false;
  readonly notice?: string;
  readonly type?: string;
  readonly rules?: readonly ImportedRule[];
  readonly options?: ImportedCheckOptions;
  readonly templateId?: string;
  readonly templateVars?: readonly string[];
}

/** Its parameters are a reference to a secret. */
export type ImportedForm = Partial<Omit<AreaForm, 'params' | 'keptHtml'>> & { readonly params?: string };

export interface ImportedGroup {
  readonly key: string;
  readonly name: string;
  readonly public?: false;
  readonly period?: AreaPeriod;
  readonly rules?: readonly (readonly ImportedRule[])[];
  readonly form?: ImportedForm;
  readonly httpAuth?: { readonly user: string; readonly password: string; readonly url?: string };
  readonly options?: { readonly w: string };
  readonly checks: readonly ImportedCheck[];
}

export interface ImportedMember {
  readonly email: string;
  readonly role: number;
}

export type ImportedNotifications = Partial<NotificationSettings>;

/** A document of a site file, with the fields that an importer knows; others are as in a new project. */
export interface ImportedSite extends Readonly<Omit<SiteSettings, 'title' | 'tags'>> {
  readonly key: string;
  readonly url: string;
  readonly title: string;
  readonly tags?: readonly string[];
  readonly groups: readonly ImportedGroup[];
  readonly members?: readonly ImportedMember[];
  readonly notifications?: ImportedNotifications;
  readonly maintenance?: readonly ImportedWindow[];
}
