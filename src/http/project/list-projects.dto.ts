import { oneOf, pageCursor, pageLimit, plainText } from '../validation/fields.ts';
import { Optional } from '../validation/input.ts';

export const projectStatuses = ['ok', 'error', 'timeout', 'unknown'] as const;

export class ListProjectsDto {
  @Optional(pageLimit) limit = 100;
  @Optional(pageCursor) cursor?: string;
  @Optional(oneOf('`unknown`: not checked yet', projectStatuses)) status?: (typeof projectStatuses)[number];
  @Optional(plainText('Part of title or URL', 200)) search?: string;
}
