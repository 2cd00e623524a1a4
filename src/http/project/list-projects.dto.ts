import { IsIn, IsInt, IsOptional, Max, Min } from 'class-validator';
import { IsPlainText } from '../validation/plain-text.ts';
import { AsNumber } from '../validation/transforms.ts';

export const projectStatuses = ['ok', 'error', 'timeout', 'unknown'] as const;

export class ListProjectsDto {
  @IsOptional() @AsNumber() @IsInt() @Min(1) @Max(1000) limit = 100;
  @IsOptional() @IsPlainText(200) cursor?: string;
  /** `unknown`: nobody looked yet. */
  @IsOptional() @IsIn(projectStatuses) status?: (typeof projectStatuses)[number];
  @IsOptional() @IsPlainText(200) search?: string;
}
