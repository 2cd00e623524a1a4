import { IsInt, IsOptional, Max, Min } from 'class-validator';
import { IsPlainText } from '../validation/plain-text.ts';
import { AsNumber } from '../validation/transforms.ts';

export class ListJobsDto {
  @IsOptional() @AsNumber() @IsInt() @Min(1) @Max(1000) limit = 100;
  @IsOptional() @IsPlainText(200) cursor?: string;
}
