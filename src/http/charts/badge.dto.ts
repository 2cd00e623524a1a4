import { yesOrNo } from '../validation/fields.ts';
import { Input, Required } from '../validation/input.ts';

@Input('BadgeSwitch', 'Whether the badge is published')
export class SwitchBadgeDto {
  @Required(yesOrNo('Switching it off ends the link for good')) enabled!: boolean;
}
