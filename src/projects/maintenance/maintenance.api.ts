import { type Repeat, repeats } from './maintenance.events.ts';
import { anyText, instantText, nullable, oneOf, plainText } from '../../platform/http/validation/fields.ts';
import { Input, OptionalOrNull, Required } from '../../platform/http/validation/input.ts';
import { exampleOf } from '../../platform/http/description/example.ts';
import { json, may, type Operations, takes, why } from '../../platform/http/description/operation.ts';
import { flag, list, named, orNull, record, text, type ValueOf, word } from '../../platform/http/description/schema.ts';
import { done, ID, idPath, instant, objectIdSchema } from '../../platform/http/description/vocabulary.ts';
import { shortList } from '../../platform/http/lists/list.ts';

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

export const maintenanceWindow = named(
  'Maintenance',
  record('A maintenance window: probes continue, but no alert is sent', {
    id: objectIdSchema('The window'),
    from: instant('Start, in the offset in which it was requested', '2023-03-23T22:00:00+01:00'),
    to: instant('End', '2023-03-24T02:00:00+01:00'),
    note: text('Purpose', { examples: ['new database'] }),
    repeat: orNull(word(repeats, 'How often the window repeats; null: never')),
    endedAt: orNull(instant('When the window was cancelled, after it had begun')),
    announcedAt: instant(
      'When the window was recorded; later than an occurrence began: that one was entered afterwards',
      '2023-03-20T09:12:40+01:00',
    ),
    event: text('Id of the event that recorded it', { format: 'uuid', examples: ['5d8c2f4e-6c1b-4d53-9d5d-0f6b2f3a7c11'] }),
    active: flag('Whether the window is ongoing', { examples: [false] }),
  }),
);
export type MaintenanceAnswer = ValueOf<typeof maintenanceWindow>;

const windows = shortList(maintenanceWindow, {
  name: 'maintenance',
  key: 'id',
  sorts: ['from', 'to'],
  search: ['note'],
  status: { words: ['active', 'inactive'], of: ({ active }) => (active ? 'active' : 'inactive') },
});
const unknown = { 404: why('The project has no such window') };

export const maintenanceOperations: Operations = {
  'GET /project/:id/maintenance': {
    id: 'listMaintenance',
    tag: 'Maintenance',
    summary: 'List maintenance windows',
    path: idPath,
    list: windows,
    answer: json(list(maintenanceWindow, 'All windows of the project'), [exampleOf(maintenanceWindow, { endedAt: null })]),
  },
  'POST /project/:id/maintenance': {
    id: 'scheduleMaintenance',
    tag: 'Maintenance',
    summary: 'Schedule a maintenance window',
    path: idPath,
    body: takes(ScheduleMaintenanceDto, { from: '2023-03-23T22:00:00+01:00', to: '2023-03-24T02:00:00+01:00', note: 'new database' }),
    answer: json(maintenanceWindow, { endedAt: null }),
  },
  'DELETE /project/:id/maintenance/:windowId': {
    id: 'cancelMaintenance',
    tag: 'Maintenance',
    summary: 'Cancel a maintenance window',
    description: 'A window that has started ends now and keeps its past; one that has not is removed.',
    path: { ...idPath, windowId: objectIdSchema('The window') },
    answer: done,
    refusals: unknown,
  },
  'DELETE /project/:id/maintenance': {
    id: 'cancelNamedMaintenance',
    tag: 'Maintenance',
    summary: 'Cancel a maintenance window, with its id in the body or the query',
    path: idPath,
    query: { id: may(text('Id of the window')) },
    body: { ...takes(CancelMaintenanceDto, { id: ID }), optional: true },
    answer: done,
    refusals: unknown,
  },
};
