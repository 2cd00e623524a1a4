import { may, type Parameter } from './operation.ts';
import { flag, integer, list, orNull, record, type Schema, text } from './schema.ts';

/** Words that many descriptions share. */
export const ID = '64f0c2a91b7de35a04c8f612';
export const OTHER_ID = '64f0c2a91b7de35a04c8f6aa';
export const UUID = '0b5e3c52-6a3e-5b0c-9d1e-2f8a7c1d4e90';

export const objectId = (description: string): Schema => text(description, { pattern: '^[0-9a-f]{24}$', examples: [ID] });
export const uuid = (description: string): Schema => text(description, { format: 'uuid', examples: [UUID] });
export const instant = (description: string): Schema => text(description, { format: 'date-time', examples: ['2023-03-23T12:53:20+00:00'] });
export const unixTime = (description: string): Schema => integer(`${description}, in unix seconds`, { minimum: 0 });
export const nextCursor = orNull(text('For the next page; null: this is the last'));

/** Absent from a list of which everything can be read. */
export const unreadableSchema = list(
  record('What cannot be read', { id: text('Which'), message: text('Why') }),
  'What belongs into the list but cannot be read until an operator has seen to it; absent when there is none',
);

export const failures: Schema = {
  type: 'array',
  description: 'Sentences that a person can act on: what was expected, what was found',
  items: { type: 'string' },
};

export const success = { code: 200, ok: true, error: false };

export const sharedSchemas = {
  Success: record('A change that has nothing else to say', {
    code: integer('Always 200', { enum: [200] }),
    ok: flag('Always true', { enum: [true] }),
    error: flag('Always false', { enum: [false] }),
  }),
  Error: record('What was wrong', {
    message: text('In words; of a validation error each offending field'),
    code: integer('The status of the answer', { minimum: 400, maximum: 599 }),
    ok: flag('Always false', { enum: [false] }),
    error: flag('Always true', { enum: [true] }),
  }),
  Message: record('What was wrong, without anything else', { message: text('In words') }),
  StartError: record('A start time that is missing or cannot be read', {
    message: text('In words'),
    code: integer('The status of the answer', { enum: [405] }),
    success: flag('Always false', { enum: [false] }),
    ok: flag('Always false', { enum: [false] }),
    error: flag('Always true', { enum: [true] }),
  }),
} as const;

export const pageOf = (): Readonly<Record<string, Parameter>> => ({
  limit: may(integer('How many at most', { minimum: 1, maximum: 1000, default: 100 })),
  cursor: may(text('`nextCursor` of the page before', { maxLength: 200 })),
});

export const atInstant = (description: string): Schema =>
  text(`${description} (ISO 8601, with a time)`, { examples: ['2023-03-23T12:53:20+00:00'] });

export const fromTo = { from: may(atInstant('From here, included')), to: may(atInstant('Up to here')) };

export const readOnly = (): Schema => ({
  description: 'Read only: accepted and ignored, so that an answer can be sent back',
  readOnly: true,
});

export const idPath = { id: objectId('The project') };
export const theme = may(text('Colours', { enum: ['light', 'dark'], default: 'light' }));
