import { integer, named, record, text, word } from '../../platform/http/description/schema.ts';
import { operators } from './rule.ts';
import { operator, ruleTypeSchema } from './rule.dto.ts';

const val = text('What is compared', { examples: ['Example'] });

/** docs/spec/interface.md#test-check. */
export const ruleSchema = named(
  'Rule',
  record('A rule over an answer', {
    type: { ...ruleTypeSchema, examples: ['title'] },
    op: word(operators, operator.schema.description ?? '', { examples: ['sub'] }),
    val,
    origin: text('Where the rule comes from', { examples: [''] }),
    templateId: text('Template, empty without one', { examples: [''] }),
    order: integer('Position among the rules', { examples: [0] }),
  }),
);
export const groupRuleSchema = named(
  'GroupRule',
  record('A rule of a group', {
    type: text('As in Rule', { examples: ['status'] }),
    op: text('As in Rule', { examples: ['eq'] }),
    val: { ...val, examples: ['200'] },
  }),
);
