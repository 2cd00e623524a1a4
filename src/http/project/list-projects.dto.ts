import { IfGiven } from '../validation/if-given.ts';
import { IsOneOf } from '../validation/one-of.ts';
import { IsPlainText } from '../validation/plain-text.ts';
import { IsWhole } from '../validation/whole-number.ts';

export const projectStatuses = ['ok', 'error', 'timeout', 'unknown'] as const;

export class ListProjectsDto {
  @IfGiven() @IsWhole(1, 1000) limit = 100;
  @IfGiven() @IsPlainText(200) cursor?: string;
  /** `unknown`: nobody looked yet. */
  @IfGiven() @IsOneOf(projectStatuses) status?: (typeof projectStatuses)[number];
  @IfGiven() @IsPlainText(200) search?: string;
}
