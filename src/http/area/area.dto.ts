import { Allow, IsBoolean, IsIn, IsNotEmpty, IsObject, IsOptional } from 'class-validator';
import { type AreaPeriod, areaPeriods } from '../../domain/area/settings.ts';
import { IsPlainText } from '../validation/plain-text.ts';
import { AsWord, Trimmed } from '../validation/transforms.ts';

/** The fields of an Area that a client may write, and those that it may send back as it got them. */
export class AreaDto {
  @IsOptional() @Trimmed() @IsPlainText(200) @IsNotEmpty() name?: string;
  @IsOptional() @IsBoolean() public?: boolean;
  /** Read by `readGroupRules`. */
  @Allow() rules?: unknown;
  @IsOptional() @IsObject() form?: Record<string, unknown>;
  @IsOptional() @IsObject() httpAuth?: Record<string, unknown>;
  @IsOptional() @AsWord() @IsIn(areaPeriods) period?: AreaPeriod;
  @IsOptional() @IsObject() options?: Record<string, unknown>;

  @Allow() id?: unknown;
  @Allow() projectId?: unknown;
  @Allow() result?: unknown;
  @Allow() nextRun?: unknown;
  @Allow() periodInt?: unknown;
}
