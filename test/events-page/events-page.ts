import { catalogue, isKnown } from '../../src/events.ts';
import type { EventEntry } from '../../src/kernel/catalogue.ts';
import { summaryOf } from '../../src/history/summary.ts';
import { samples } from '../samples/samples.ts';
import { CatalogueShape, type EventShape, type Field, type NamedShape, type Sources } from './catalogue-shape.ts';
import { type Writer, Writers } from './writers.ts';

const HEAD = `<!-- Made by \`npm run docs:events\` from the sources. A test holds it against them; do not edit it here. -->

# Events

All events of the service, in the order of the catalogue (\`src/events.ts\`). A projection handles an event by its type and gets its \`data\` as described here
([projections.md](projections.md)); \`GET /project/{id}/history\` answers the same. What stands around the data (\`id\`, \`n\`, \`stream\`, \`scope\`, \`recordedAt\`, \`meta\` with who did it and what led to it) is the same for all.

Events without the mark **Internal** are a published contract. A published shape is never changed: a new one raises the version, and older events are read as the new one. Times are ISO 8601 in UTC. \`Sealed\` is encrypted with the key of its subject and reads as null once that was erased.
`;

/** docs/events.md, as the sources have it today. */
export function eventsPage(sources: Sources): string {
  const shape = new CatalogueShape(sources);
  const events = shape.events();
  const writers = new Writers(sources, new Set(events.map(({ type }) => type))).byType();
  const sections = chaptersOf(sources, events).map(({ noun, types }) =>
    [`## ${noun}`, ...types.map((event) => eventSection(event, writers.get(event.type) ?? []))].join('\n\n'),
  );
  const names = shape.names().map(nameSection);
  return `${[HEAD.trimEnd(), ...sections, '## Shapes', 'What the fields above are made of.', ...names].join('\n\n')}\n`;
}

interface Chapter {
  readonly noun: string;
  readonly types: readonly EventShape[];
}

/** The events of a noun each, in the order in which the catalogue comes to it. */
function chaptersOf({ program }: Sources, events: readonly EventShape[]): readonly Chapter[] {
  const chapters = new Map<string, EventShape[]>();
  for (const event of events) {
    const declared = new RegExp(`^ {2}${event.type}: \\{ version`, 'm');
    const file = program.getSourceFiles().find(({ fileName, text }) => /\/src\/.*\.events\.ts$/.test(fileName) && declared.test(text));
    const noun = /([^/]+)\.events\.ts$/.exec(file?.fileName ?? '')?.[1] ?? 'other';
    chapters.set(noun, [...(chapters.get(noun) ?? []), event]);
  }
  return [...chapters].map(([noun, types]) => ({ noun: `${noun.charAt(0).toUpperCase()}${noun.slice(1)}`, types }));
}

const INTERNAL =
  '**Internal**: not part of the published contract. It may change or disappear in any version; do not build a projection on it.';

const names = { check: () => 'Homepage', area: () => 'Public', user: () => 'Ada' };

function eventSection({ type, about, fields }: EventShape, writers: readonly Writer[]): string {
  if (!isKnown(type)) throw new Error(`${type} is not in the catalogue`);
  const data = samples('5f0c')[type];
  const { version, visibility }: EventEntry = catalogue[type];
  const example = { ...EMPTY, type, version, data };
  return [
    `### ${type}`,
    ...(about === '' ? [] : [about]),
    ...(visibility === 'internal' ? [INTERNAL] : []),
    `Reads as “${summaryOf(example, names)}”. Version ${String(version)}. Written by ${writers.map(({ name, file }) => `[${name}](../${file})`).join(', ')}.`,
    ...(fields.length === 0 ? ['It has no fields: that it happened is all.'] : [fieldTable(fields)]),
    `\`\`\`json\n${JSON.stringify(data)}\n\`\`\``,
  ].join('\n\n');
}

const EMPTY = {
  n: 0,
  id: '',
  stream: '',
  revision: 0,
  scope: '',
  recordedAt: '',
  meta: { actor: { kind: 'user', id: '1' }, correlationId: '', causationId: null, commandId: '', occurredAt: '' },
} as const;

const nameSection = ({ name, about, fields, text }: NamedShape): string =>
  [`### ${name}`, ...(about === '' ? [] : [about]), fields === null ? `\`${text}\`` : fieldTable(fields)].join('\n\n');

const fieldTable = (fields: readonly Field[]): string =>
  [
    '| Field | Type | |',
    '|---|---|---|',
    ...fields.map(({ name, type, about }) => `| \`${name}\` | \`${cell(type)}\` | ${cell(about)} |`),
  ].join('\n');

const cell = (text: string): string => text.replaceAll('|', '\\|');
