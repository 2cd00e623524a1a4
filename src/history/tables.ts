import type { PresentedEvent } from './event.presenter.ts';

const columns = [
  'position',
  'recordedAt',
  'occurredAt',
  'type',
  'summary',
  'actorKind',
  'actorId',
  'actorName',
  'stream',
  'revision',
  'id',
  'correlationId',
  'causationId',
  'commandId',
  'data',
] as const;

/** CSV injection: spreadsheets evaluate cells that begin with one of these signs, some also with their full-width forms. */
const FORMULA_START = /^[=+\-@\t\r\n＝＋－＠]/;

const cell = (value: unknown): string => {
  const raw = value === null || value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value);
  const text = FORMULA_START.test(raw) ? `'${raw}` : raw;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

/** CSV (RFC 4180). */
export async function* csvOf(batches: AsyncIterable<readonly PresentedEvent[]>): AsyncGenerator<string> {
  yield `${columns.join(',')}\r\n`;
  for await (const events of batches) {
    yield events
      .map((event) => {
        const { actor, ...rest } = event;
        const row: Readonly<Record<string, unknown>> = { ...rest, actorKind: actor.kind, actorId: actor.id, actorName: actor.name };
        return `${columns.map((column) => cell(row[column])).join(',')}\r\n`;
      })
      .join('');
  }
}

export async function* ndjsonOf(
  batches: AsyncIterable<readonly PresentedEvent[]>,
  present: (event: PresentedEvent) => object = (event) => event,
): AsyncGenerator<string> {
  for await (const events of batches) yield events.map((event) => `${JSON.stringify(present(event))}\n`).join('');
}
