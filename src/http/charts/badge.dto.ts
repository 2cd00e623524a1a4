import { IsSwitch } from '../validation/switch.ts';

export class SwitchBadgeDto {
  @IsSwitch()
  enabled!: boolean;
}
