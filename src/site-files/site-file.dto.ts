import { type AreaPeriod, areaPeriods } from '../projects/areas/area.settings.ts';
import type { CheckType } from '../projects/checks/check.settings.ts';
import { FormInput, SignInInput } from '../projects/areas/area.api.ts';
import { AreaOptionsInput, CheckOptionsInput, checkType, checkUrlField, templateId, templateVars } from '../projects/checks/check.api.ts';
import { newGroupRules, newRules, type RuleInput } from '../projects/checks/rule.api.ts';
import { ScheduleMaintenanceDto } from '../projects/maintenance/maintenance.api.ts';
import { AddMemberDto } from '../projects/members/member.api.ts';
import { SetObjectiveDto } from '../projects/objectives/objective.api.ts';
import { NotificationSettingsDto } from '../alerts/preferences/notification-settings.api.ts';
import { SiteSettings } from '../projects/writable-settings.dto.ts';
import {
  filledText,
  matching,
  object,
  objects,
  oneOfWords,
  plainText,
  siteUrl,
  trimmed,
  yesOrNo,
} from '../platform/http/validation/fields.ts';
import { Input, type InputField, Optional, Required } from '../platform/http/validation/input.ts';

/** Chosen by people, or `import:KIND:ID` of the source that an import read. */
const KEY = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?|import:[a-z0-9-]{1,30}:[a-z0-9](?:[a-z0-9._-]{0,98}[a-z0-9])?)$/;

const key = (what: string): InputField<string> =>
  matching(
    `Names ${what} for as long as it exists, whatever else changes`,
    KEY,
    'must be 1 to 63 lower-case letters, digits and hyphens, or the key that an import gave',
  );

const LONGEST_NAME = 200;

/** A check of a site file: its fields are those of the API. */
@Input('SiteFileCheck', 'A check')
export class SiteFileCheck {
  @Optional(key('the check')) key?: string;
  @Optional(trimmed(plainText('Name; without a key it says which check this is, and no other check of the site has it', LONGEST_NAME)))
  name = '';
  @Required(checkUrlField) url!: unknown;
  @Optional(yesOrNo('Whether it runs', { default: true })) enabled?: boolean;
  @Optional(plainText('A note', 4000)) notice?: string;
  @Optional(checkType) type?: CheckType;
  @Optional(newRules) rules?: RuleInput[];
  @Optional(object(CheckOptionsInput)) options?: CheckOptionsInput;
  @Optional(templateId) templateId?: string;
  @Optional(templateVars) templateVars?: string[];
}

@Input('SiteFileGroup', 'A group of checks')
export class SiteFileGroup {
  @Optional(key('the group')) key?: string;
  @Required(trimmed(filledText('Name; without a key it says which group this is, and no other group of the site has it', LONGEST_NAME)))
  name!: string;
  @Optional(yesOrNo('Whether its URLs are reachable without a password', { default: true })) public?: boolean;
  @Optional(newGroupRules) rules?: RuleInput[][];
  @Optional(object(FormInput)) form?: FormInput;
  @Optional(object(SignInInput)) httpAuth?: SignInInput;
  @Optional(oneOfWords('How often its checks run; `true`: as the site says', areaPeriods, { type: 'boolean' })) period?: AreaPeriod;
  @Optional(object(AreaOptionsInput)) options?: AreaOptionsInput;
  @Optional(objects(SiteFileCheck, 'Its checks, in their order', 2_000)) checks: SiteFileCheck[] = [];
}

/** docs/spec/beyond.md#B10. */
@Input('SiteFile', 'A site as code; what is left out is as in a new project')
export class SiteFile extends SiteSettings {
  @Required(key('the site')) key!: string;
  @Required(siteUrl('Its address', 'https://example.com')) url!: string;
  @Optional(yesOrNo('Whether a new project begins with checks of its homepage and of the pages that this links to', { default: false }))
  addPresetChecks?: boolean;
  @Optional(objects(SiteFileGroup, 'Groups of checks, in their order', 200)) groups: SiteFileGroup[] = [];
  @Optional(objects(AddMemberDto, 'Members beside the owner; those who are new are invited', 1_000)) members?: AddMemberDto[];
  @Optional(object(NotificationSettingsDto)) notifications?: NotificationSettingsDto;
  @Optional(object(SetObjectiveDto)) objective?: SetObjectiveDto;
  @Optional(objects(ScheduleMaintenanceDto, 'Maintenance that is ahead, under way or repeated', 200))
  maintenance?: ScheduleMaintenanceDto[];
}
