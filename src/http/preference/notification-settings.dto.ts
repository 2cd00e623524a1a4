import { type Severity, severities } from '../../domain/preference/settings.ts';
import { IfGiven } from '../validation/if-given.ts';
import { IsOneOf } from '../validation/one-of.ts';
import { IsSwitch } from '../validation/switch.ts';
import { AsNumber } from '../validation/transforms.ts';

/** docs/spec/interface.md#notification-settings: all optional, only supplied fields change. */
export class NotificationSettingsDto {
  @IfGiven() @AsNumber() @IsOneOf(severities) severity?: Severity;
  @IfGiven() @IsSwitch() email?: boolean;
  @IfGiven() @IsSwitch() pagerduty?: boolean;
  @IfGiven() @IsSwitch() pushover?: boolean;
  @IfGiven() @IsSwitch() pushbullet?: boolean;
  @IfGiven() @IsSwitch() slack?: boolean;
  @IfGiven() @IsSwitch() webPush?: boolean;
  @IfGiven() @IsSwitch() webhook?: boolean;
}
