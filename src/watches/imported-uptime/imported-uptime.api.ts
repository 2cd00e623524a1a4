import { text, integer, list, named, number, orNull, record, type ValueOf } from '../../platform/http/description/schema.ts';
import { matching, wholes } from '../../platform/http/validation/fields.ts';
import { Input, type InputField, Required } from '../../platform/http/validation/input.ts';
import { json, type Operations, takes } from '../../platform/http/description/operation.ts';
import { done, idPath, instant, moment, uuidSchema } from '../../platform/http/description/vocabulary.ts';

/** A day that exists, as `2026-03-01`. */
const isDay = (text: string): boolean =>
  /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text)) && new Date(text).toISOString().startsWith(text);

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

/** docs/spec/beyond.md#B11. */
export const reportedImport = named(
  'ReportedImport',
  record('What another product measured within the time of a report; in none of its other figures', {
    origin: text('`imported:` and the kind of the product'),
    from: instant('The first day'),
    to: instant('The end of the last day'),
    uptime: number('Probes that were up, percent', { minimum: 0, maximum: 100 }),
    samples: integer('Probes', { minimum: 1 }),
  }),
);
export type ReportedImportAnswer = ValueOf<typeof reportedImport>;

const importedUptimeSchema = named(
  'ImportedUptime',
  record('What another product measured, a UTC day each', {
    origin: orNull(text('`imported:` and the kind of the product; null: nothing was imported', { examples: ['imported:uptime-kuma'] })),
    from: orNull(text('The first day', { format: 'date', examples: ['2023-03-21'] })),
    up: list(integer('Probes of a day', { minimum: 0 }), 'Probes that were up', { examples: [[1430, 1440]] }),
    down: list(integer('Probes of a day', { minimum: 0 }), 'Probes that were down', { examples: [[10, 0]] }),
    importedAt: orNull(moment('When it was imported')),
    event: orNull(uuidSchema('The event that imported it')),
  }),
);
export type ImportedUptimeAnswer = ValueOf<typeof importedUptimeSchema>;

export const importedUptimeOperations: Operations = {
  'GET /project/:id/imported-uptime': {
    id: 'getImportedUptime',
    tag: 'Uptime',
    summary: 'What another product measured',
    path: idPath,
    answer: json(importedUptimeSchema),
  },
  'PUT /project/:id/imported-uptime': {
    id: 'importUptime',
    tag: 'Uptime',
    summary: 'Import what another product measured',
    path: idPath,
    description:
      'Replaces what was imported before. It enters no verdict and none of our own figures: reports show it apart, as `imported`.',
    body: takes(ImportedUptimeDto, { origin: 'imported:uptime-kuma', from: '2023-03-21', up: [1_430, 1_440], down: [10, 0] }),
    answer: json(importedUptimeSchema),
  },
  'DELETE /project/:id/imported-uptime': {
    id: 'removeImportedUptime',
    tag: 'Uptime',
    summary: 'Remove what was imported',
    path: idPath,
    answer: done,
  },
};
