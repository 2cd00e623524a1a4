import { filledText, trimmed } from '../../platform/http/validation/fields.ts';
import { Input, Required } from '../../platform/http/validation/input.ts';

@Input('Skip', 'The reason')
export class SkipDto {
  @Required(trimmed(filledText('Recorded in the log', 1000))) reason!: string;
}
