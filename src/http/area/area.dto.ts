import { Allow, IsObject } from 'class-validator';
import { type AreaPeriod, areaPeriods } from '../../domain/area/settings.ts';
import { IfGiven } from '../validation/if-given.ts';
import { IsOneOf } from '../validation/one-of.ts';
import { IsFilledText } from '../validation/plain-text.ts';
import { IsSwitch } from '../validation/switch.ts';
import { AsWord, Trimmed } from '../validation/transforms.ts';

/** The fields of an Area that a client may write, and those that it may send back as it got them. */
export class AreaDto {
  @IfGiven() @Trimmed() @IsFilledText(200) name?: string;
  @IfGiven() @IsSwitch() public?: boolean;
  /** Read by `readGroupRules`. */
  @Allow() rules?: unknown;
  @IfGiven() @IsObject() form?: Record<string, unknown>;
  @IfGiven() @IsObject() httpAuth?: Record<string, unknown>;
  @IfGiven() @AsWord() @IsOneOf(areaPeriods) period?: AreaPeriod;
  @IfGiven() @IsObject() options?: Record<string, unknown>;

  @Allow() id?: unknown;
  @Allow() projectId?: unknown;
  @Allow() result?: unknown;
  @Allow() nextRun?: unknown;
  @Allow() periodInt?: unknown;
}
