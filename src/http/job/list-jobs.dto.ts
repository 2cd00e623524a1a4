import { pageCursor, pageLimit } from '../validation/fields.ts';
import { Optional } from '../validation/input.ts';

export class ListJobsDto {
  @Optional(pageLimit) limit = 100;
  @Optional(pageCursor) cursor?: string;
}
