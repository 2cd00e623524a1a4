import { yesOrNo } from '../../platform/http/validation/fields.ts';
import { Input, Required } from '../../platform/http/validation/input.ts';

@Input('BadgeSwitch', 'Whether the badge is published')
export class SwitchBadgeDto {
  @Required(yesOrNo('Switching it off ends the link for good')) enabled!: boolean;
}
