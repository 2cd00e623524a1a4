import { integer, named, record, text, type ValueOf, word } from '../../platform/http/description/schema.ts';
import { operators } from './rule.ts';
import { operator, ruleTypeSchema } from './rule.dto.ts';

const val = text('What is compared');

/** docs/spec/interface.md#test-check. */
export const ruleSchema = named(
  'Rule',
  record('A rule over an answer', {
    type: ruleTypeSchema,
    op: word(operators, operator.schema.description ?? ''),
    val,
    origin: text('Where the rule comes from'),
    templateId: text('Template, empty without one'),
    order: integer('Position among the rules'),
  }),
);
export const groupRuleSchema = named('GroupRule', record('A rule of a group', { type: text('As in Rule'), op: text('As in Rule'), val }));

export const rule: ValueOf<typeof ruleSchema> = { type: 'title', op: 'sub', val: 'Example', origin: '', templateId: '', order: 0 };
