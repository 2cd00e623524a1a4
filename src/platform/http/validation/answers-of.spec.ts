import { expect, it } from '@jest/globals';
import { constant } from '../description/schema.ts';
import { filledText, nullable, object, oneOfWords, whole } from './fields.ts';
import { answersOf, InlineInput, Optional, OptionalOrNull, Required } from './input.ts';

@InlineInput('How it is fetched')
class FetchInput {
  @Optional(whole('Seconds', 1, 60, { default: 3 })) timeout = 3;
}

class SiteInput {
  @Required(filledText('Title', 200, { examples: ['Shop'] })) title!: string;
  @Optional(oneOfWords('How often', ['1 hour', 'false'], constant(false))) period?: '1 hour' | 'false';
  @OptionalOrNull(nullable(object(FetchInput))) fetch?: FetchInput | null;
}

it('describes a member of an answer by the field that sets it, without what only a request has to keep', () => {
  expect(answersOf(SiteInput, 'title', 'period', 'fetch')).toEqual({
    title: { type: 'string', description: 'Title', examples: ['Shop'] },
    period: { type: 'string', description: 'How often', enum: ['1 hour', 'false'] },
    fetch: {
      type: ['object', 'null'],
      description: 'How it is fetched',
      properties: { timeout: { type: 'integer', description: 'Seconds', minimum: 1, maximum: 60, examples: [3] } },
      required: ['timeout'],
      additionalProperties: false,
    },
  });
});
