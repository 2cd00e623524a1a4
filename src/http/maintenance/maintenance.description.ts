import { repeats } from '../../domain/maintenance/maintenance.events.ts';
import { json, may, type Operations, why } from '../description/operation.ts';
import { flag, list, orNull, record, ref, text, word } from '../description/schema.ts';
import { atInstant, ID, idPath, instant, objectId, success } from '../description/vocabulary.ts';

const repeat = orNull(word(repeats, 'How often it comes again; null: never'));

export const maintenanceSchemas = {
  Maintenance: record('Time in which probes go on and nobody is woken', {
    id: objectId('The window'),
    from: instant('Start, in the offset in which it was asked for'),
    to: instant('End'),
    note: text('What for'),
    repeat,
    endedAt: orNull(instant('When a repeating window was ended')),
    active: flag('Whether it is now'),
  }),
  NewMaintenance: record(
    'A window',
    { from: atInstant('Start; a repeating window may start at most one year in the past'), to: atInstant('End') },
    { note: orNull(text('What for', { maxLength: 1000 })), repeat },
  ),
  MaintenanceCancelled: record('Which window', {}, { id: text('The window') }),
};

const window = {
  ...{ id: ID, from: '2023-03-23T22:00:00+01:00', to: '2023-03-24T02:00:00+01:00', note: 'new database', repeat: null },
  ...{ endedAt: null, active: false },
};
const unknown = { 404: why('There is no such window in the project') };

export const maintenanceOperations: Operations = {
  'GET /project/:id/maintenance': {
    ...{ id: 'listMaintenance', tag: 'Maintenance', summary: 'Maintenance windows', path: idPath },
    answer: json(list(ref('Maintenance'), 'All of them'), [window]),
  },
  'POST /project/:id/maintenance': {
    ...{ id: 'scheduleMaintenance', tag: 'Maintenance', summary: 'Plan a maintenance window', path: idPath },
    body: { schema: ref('NewMaintenance'), example: { from: window.from, to: window.to, note: window.note } },
    answer: json(ref('Maintenance'), window),
  },
  'DELETE /project/:id/maintenance/:windowId': {
    ...{ id: 'cancelMaintenance', tag: 'Maintenance', summary: 'Cancel a maintenance window' },
    description: 'A repeating window that has begun ends here and keeps its past; any other is as if it had not been.',
    path: { ...idPath, windowId: objectId('The window') },
    answer: json(ref('Success'), success),
    refusals: unknown,
  },
  'DELETE /project/:id/maintenance': {
    ...{ id: 'cancelNamedMaintenance', tag: 'Maintenance', summary: 'The same with the id in body or query', path: idPath },
    query: { id: may(text('The window')) },
    body: { schema: ref('MaintenanceCancelled'), example: { id: ID }, optional: true },
    answer: json(ref('Success'), success),
    refusals: unknown,
  },
};
