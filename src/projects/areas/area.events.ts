import type { EntriesOf } from '../../kernel/catalogue.ts';
import type { Change, ChangeOfLarge } from '../../kernel/change.ts';
import type { AreaSettings } from './area.settings.ts';

type Of<Value> = Change<Value> & { readonly areaId: string };
type OfLarge<Value> = ChangeOfLarge<Value> & { readonly areaId: string };

export interface AreaEvents {
  AreaCreated: { readonly areaId: string; readonly settings: AreaSettings };
  AreaRenamed: Of<string>;
  AreaVisibilityChanged: Of<boolean>;
  AreaRulesChanged: OfLarge<AreaSettings['rules']>;
  AreaFormChanged: OfLarge<AreaSettings['form']>;
  AreaSignInChanged: Of<AreaSettings['httpAuth']>;
  AreaPeriodChanged: Of<AreaSettings['period']>;
  AreaHeadersChanged: OfLarge<AreaSettings['headers']>;
  /** The key by which site files name the group (docs/spec/beyond.md#B10). */
  AreaKeyChanged: Of<string | null>;
  /** The checksum of a sign-in form that was saved without one, as first found; it counts as the saved one until the form is saved again. */
  AreaFormFirstFound: { readonly areaId: string; readonly checksum: string };
  /** The sign-in form differs from the saved one; shown until the group is saved again. */
  AreaFormFoundChanged: { readonly areaId: string; readonly checksum: string };
  AreaDeleted: { readonly areaId: string; readonly name: string };
}

export const areaEvents = {
  AreaCreated: { version: 1 },
  AreaRenamed: { version: 1 },
  AreaVisibilityChanged: { version: 1 },
  AreaRulesChanged: { version: 1 },
  AreaFormChanged: { version: 1 },
  AreaSignInChanged: { version: 1 },
  AreaPeriodChanged: { version: 1 },
  AreaHeadersChanged: { version: 1 },
  AreaKeyChanged: { version: 1 },
  AreaFormFirstFound: { version: 1 },
  AreaFormFoundChanged: { version: 1 },
  AreaDeleted: { version: 1 },
} satisfies EntriesOf<AreaEvents>;
