import { operators, ruleTypes } from '../../domain/check/rule.ts';
import { eitherOf, integer, list, record, type Schema, text, word } from '../description/schema.ts';

const type = word(ruleTypes, 'What the rule looks at');
const op = word(
  operators,
  '`eq` equal, `sub` / `!sub` contains or not, `match` / `!match` is exactly or not, `xpath` an XPath 1.0 on `html`, `regex` / `!regex` in linear-time syntax',
);
const val = text('What is compared');
const given: Schema = eitherOf('What is compared', { type: 'string' }, { type: 'number' });
const most = '24 KiB of JSON at most';

/** docs/spec/interface.md#test-check. */
export const ruleSchemas = {
  Rule: record('A rule over an answer', {
    type,
    op,
    val,
    origin: text('Where the rule comes from'),
    templateId: text('Template, empty without one'),
    order: integer('Place among the rules'),
  }),
  NewRule: record(
    'A rule over an answer',
    { op, val: given },
    {
      type: { ...type, default: 'text' },
      origin: text('Where the rule comes from', { default: '' }),
      templateId: text('Template', { default: '' }),
      order: integer('Place among the rules', { minimum: -Number.MAX_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER }),
    },
  ),
  GroupRule: record('A rule of a group', { type: text('As in Rule'), op: text('As in Rule'), val }),
} satisfies Readonly<Record<string, Schema>>;

export const newRules: Schema = list({ $ref: '#/components/schemas/NewRule' }, most, { maxItems: 100 });
export const newGroupRules: Schema = eitherOf(
  `Blocks of rules; a flat array is one block. ${most}`,
  list(newRules, 'Blocks', { maxItems: 10 }),
  newRules,
);

export const rule = { type: 'title', op: 'sub', val: 'Example', origin: '', templateId: '', order: 0 };
