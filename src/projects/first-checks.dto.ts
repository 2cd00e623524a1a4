import { AreaDto } from './areas/area.api.ts';
import { CheckDto } from './checks/check.api.ts';
import { type InputField, Input, Optional } from '../platform/http/validation/input.ts';
import { objects } from '../platform/http/validation/fields.ts';

const tests = (description: string): InputField<CheckDto[]> => objects(CheckDto, description, 1_000);

@Input('FirstGroup', 'A group of a new project')
export class FirstAreaDto extends AreaDto {
  @Optional(tests('Its tests, in their order; none names a group')) tests?: CheckDto[];
}

/** docs/spec/decisions.md#P15. */
export const firstAreas = objects(FirstAreaDto, 'Its groups, in their order', 200);
export const firstTests = tests('Tests of its first group, which is made where there is none');
