import { type Repeat, repeats } from './maintenance.events.ts';
import { anyText, instantText, nullable, oneOf, plainText } from '../../platform/http/validation/fields.ts';
import { Input, OptionalOrNull, Required } from '../../platform/http/validation/input.ts';

@Input('NewMaintenance', 'A maintenance window')
export class ScheduleMaintenanceDto {
  @Required(instantText('Start; a repeating window may start at most one year in the past')) from!: string;
  @Required(instantText('End')) to!: string;
  @OptionalOrNull(nullable(plainText('Purpose', 1000))) note?: string | null;
  @OptionalOrNull(nullable(oneOf('How often the window repeats; null: never', repeats))) repeat?: Repeat | null;
}

@Input('MaintenanceCancelled', 'The window to cancel')
export class CancelMaintenanceDto {
  @OptionalOrNull(anyText('Id of the window')) id?: string | null;
}
