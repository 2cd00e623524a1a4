import { type Severity, severities } from './preference.settings.ts';
import { oneOfNumbers, yesOrNo } from '../../platform/http/validation/fields.ts';
import { Input, Optional } from '../../platform/http/validation/input.ts';

const over = (channel: string, example = false) => yesOrNo(`Notifications over ${channel}`, { examples: [example] });

/** docs/spec/interface.md#notification-settings. */
@Input('NotificationChange', 'Only supplied fields change')
export class NotificationSettingsDto {
  @Optional(oneOfNumbers('1: only errors, 3: errors and timeouts', severities, { format: 'int32' })) severity?: Severity;
  @Optional(over('email', true)) email?: boolean;
  @Optional(over('pagerduty')) pagerduty?: boolean;
  @Optional(over('pushover')) pushover?: boolean;
  @Optional(over('pushbullet')) pushbullet?: boolean;
  @Optional(over('slack', true)) slack?: boolean;
  @Optional(over('webPush')) webPush?: boolean;
  @Optional(over('webhook')) webhook?: boolean;
}
