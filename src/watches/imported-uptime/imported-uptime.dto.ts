import { isDay } from './imported-uptime.settings.ts';
import { text } from '../../platform/http/description/schema.ts';
import { matching, wholes } from '../../platform/http/validation/fields.ts';
import { Input, type InputField, Required } from '../../platform/http/validation/input.ts';

/** Five years. */
const MOST_DAYS = 1_830;
/** A probe a second. */
const MOST_SAMPLES = 86_400;

const day: InputField<string> = {
  schema: text('The first day, in UTC', { format: 'date', examples: ['2026-03-01'] }),
  accepts: (value) => typeof value === 'string' && isDay(value),
  must: 'must be a day such as 2026-03-01',
};

const counts = (description: string): InputField<number[]> =>
  wholes(description, { item: 'Probes of a day', minimum: 0, maximum: MOST_SAMPLES, maxItems: MOST_DAYS });

@Input('NewImportedUptime', 'What another product measured; it replaces what was imported before')
export class ImportedUptimeDto {
  @Required(
    matching('The product: `imported:` and its kind', /^imported:[a-z0-9-]{1,30}$/, 'must be imported: and a kind such as uptime-kuma', {
      examples: ['imported:uptime-kuma'],
    }),
  )
  origin!: string;
  @Required(day) from!: string;
  @Required(counts('Probes that were up, a day each')) up!: number[];
  @Required(counts('Probes that were down, a day each')) down!: number[];
}
