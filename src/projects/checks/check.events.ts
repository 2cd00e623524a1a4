import type { EntriesOf } from '../../kernel/catalogue.ts';
import type { Change, ChangeOfLarge } from '../../kernel/change.ts';
import type { CheckSettings } from './check.settings.ts';

type Of<Value> = Change<Value> & { readonly checkId: string };
type OfLarge<Value> = ChangeOfLarge<Value> & { readonly checkId: string };

export interface CheckEvents {
  CheckCreated: { readonly checkId: string; readonly areaId: string; readonly settings: CheckSettings };
  CheckRenamed: Of<string>;
  CheckUrlChanged: Of<string>;
  CheckSwitched: Of<boolean>;
  CheckNoticeChanged: Of<string>;
  CheckTypeChanged: Of<CheckSettings['type']>;
  CheckRulesChanged: OfLarge<CheckSettings['rules']>;
  CheckOptionsChanged: OfLarge<CheckSettings['options']>;
  CheckTemplateChanged: Of<CheckSettings['template']>;
  /** The key by which site files name the check (docs/spec/beyond.md#B10). */
  CheckKeyChanged: Of<string | null>;
  CheckMoved: Of<string>;
  CheckDeleted: { readonly checkId: string; readonly areaId: string; readonly name: string };
}

export const checkEvents = {
  CheckCreated: { version: 1 },
  CheckRenamed: { version: 1 },
  CheckUrlChanged: { version: 1 },
  CheckSwitched: { version: 1 },
  CheckNoticeChanged: { version: 1 },
  CheckTypeChanged: { version: 1 },
  CheckRulesChanged: { version: 1 },
  CheckOptionsChanged: { version: 1 },
  CheckTemplateChanged: { version: 1 },
  CheckKeyChanged: { version: 1 },
  CheckMoved: { version: 1 },
  CheckDeleted: { version: 1 },
} satisfies EntriesOf<CheckEvents>;
