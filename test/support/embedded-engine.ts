import { describe } from '@jest/globals';

/** With TEST_EVENTSTORE the log table is a copy of an event store. */
export const isEmbedded = process.env['TEST_EVENTSTORE'] === undefined;

/** For what happens to the log table where it is the only one. */
export const onEmbedded = isEmbedded ? describe : describe.skip;
