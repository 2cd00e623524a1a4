import { IsBoolean } from 'class-validator';

export class SwitchBadgeDto {
  @IsBoolean({ message: 'must be true or false' })
  enabled!: boolean;
}
