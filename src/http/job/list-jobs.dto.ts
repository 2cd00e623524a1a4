import { IfGiven } from '../validation/if-given.ts';
import { IsPlainText } from '../validation/plain-text.ts';
import { IsWhole } from '../validation/whole-number.ts';

export class ListJobsDto {
  @IfGiven() @IsWhole(1, 1000) limit = 100;
  @IfGiven() @IsPlainText(200) cursor?: string;
}
