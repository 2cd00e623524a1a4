import { derivedId } from '../../../src/kernel/ids.ts';
import type { NewEvent } from '../../../src/kernel/event.ts';

/** An event whose id follows from its place and command, as the service derives them. */
export const sampleEvent = (stream: string, revision: number, command = 'c', text = 'ž\u0000"'): NewEvent => ({
  id: derivedId(command, stream, revision),
  type: 'Noted',
  version: 1,
  scope: 'project-a',
  data: { revision, text },
  meta: {
    actor: { kind: 'cli', id: 'spec' },
    correlationId: derivedId(command),
    causationId: null,
    commandId: command,
    occurredAt: '2026-01-01T00:00:00.000Z',
  },
});
