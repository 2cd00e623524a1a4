import { Allow, IsObject, IsString, Matches } from 'class-validator';
import { type CheckType, checkTypes } from '../../domain/check/settings.ts';
import { OBJECT_ID } from '../../kernel/ids.ts';
import { IfGiven } from '../validation/if-given.ts';
import { IsOneOf } from '../validation/one-of.ts';
import { ArePlainText, IsPlainText } from '../validation/plain-text.ts';
import { IsSwitch } from '../validation/switch.ts';
import { Trimmed } from '../validation/transforms.ts';

/** The fields of a Test that a client may write, and those that it may send back as it got them (docs/spec/decisions.md#T1 and #T2). */
export class CheckDto {
  /** Read by `readCheckUrl`, whose refusal has a body of its own. */
  @Allow() url?: unknown;
  @IfGiven() @Trimmed() @IsPlainText(200) name?: string;
  @IfGiven() @IsSwitch() enabled?: boolean;
  @IfGiven() @IsPlainText(4000) notice?: string;
  @IfGiven() @IsOneOf(checkTypes) type?: CheckType;
  @IfGiven() @Matches(OBJECT_ID, { message: 'must be the id of a group of the project' }) areaId?: string;
  /** Read by `readRules`. */
  @Allow() rules?: unknown;
  @IfGiven() @IsObject() options?: Record<string, unknown>;
  @IfGiven() @IsPlainText(100) templateId?: string;
  @IfGiven() @ArePlainText(1000, 100) templateVars?: string[];

  /** Read only but for its `rules`, where older clients write them. */
  @IfGiven() @IsObject() status?: Record<string, unknown>;
  @Allow() id?: unknown;
  @Allow() run?: unknown;
  @Allow() flags?: unknown;
  @Allow() projectId?: unknown;
}

export class CreateCheckQuery {
  @IfGiven() @IsString() projectId?: string;
  @IfGiven() @IsString() areaId?: string;
}
