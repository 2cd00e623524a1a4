import { IsBoolean, IsIn, IsInt, ValidateIf, type ValidationOptions } from 'class-validator';
import { type Severity, severities } from '../../domain/preference/settings.ts';
import { AsNumber } from '../validation/transforms.ts';

/** May be left out, but is not null. */
const IsSwitch =
  (options?: ValidationOptions): PropertyDecorator =>
  (target, property) => {
    ValidateIf((dto: Readonly<Record<string | symbol, unknown>>) => dto[property] !== undefined)(target, property);
    IsBoolean(options)(target, property);
  };

/** interface.md, Notification settings: all optional, only supplied fields change. */
export class NotificationSettingsDto {
  @ValidateIf((dto: NotificationSettingsDto) => dto.severity !== undefined) @AsNumber() @IsInt() @IsIn(severities) severity?: Severity;
  @IsSwitch() email?: boolean;
  @IsSwitch() pagerduty?: boolean;
  @IsSwitch() pushover?: boolean;
  @IsSwitch() pushbullet?: boolean;
  @IsSwitch() slack?: boolean;
  @IsSwitch() webPush?: boolean;
  @IsSwitch() webhook?: boolean;
}
