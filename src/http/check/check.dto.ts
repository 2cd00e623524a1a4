import { Allow, ArrayMaxSize, IsArray, IsBoolean, IsIn, IsObject, IsOptional, IsString, Matches } from 'class-validator';
import { type CheckType, checkTypes } from '../../domain/check/settings.ts';
import { OBJECT_ID } from '../../kernel/ids.ts';
import { IsPlainText } from '../validation/plain-text.ts';
import { Trimmed } from '../validation/transforms.ts';

/** The fields of a Test that a client may write, and those that it may send back as it got them (decisions.md, T1 and T2). */
export class CheckDto {
  /** Read by `readCheckUrl`, whose refusal has a body of its own. */
  @Allow() url?: unknown;
  @IsOptional() @Trimmed() @IsPlainText(200) name?: string;
  @IsOptional() @IsBoolean() enabled?: boolean;
  @IsOptional() @IsPlainText(4000) notice?: string;
  @IsOptional() @IsIn(checkTypes) type?: CheckType;
  @IsOptional() @IsString() @Matches(OBJECT_ID, { message: 'must be the id of a group of the project' }) areaId?: string;
  /** Read by `readRules`. */
  @Allow() rules?: unknown;
  @IsOptional() @IsObject() options?: Record<string, unknown>;
  @IsOptional() @IsPlainText(100) templateId?: string;
  @IsOptional() @IsArray() @ArrayMaxSize(100) @IsPlainText(1000, { each: true }) templateVars?: string[];

  /** Read only but for its `rules`, where older clients write them. */
  @IsOptional() @IsObject() status?: Record<string, unknown>;
  @Allow() id?: unknown;
  @Allow() run?: unknown;
  @Allow() flags?: unknown;
  @Allow() projectId?: unknown;
}

export class CreateCheckQuery {
  @IsOptional() @IsString() projectId?: string;
  @IsOptional() @IsString() areaId?: string;
}
