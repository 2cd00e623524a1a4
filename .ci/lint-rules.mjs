/** What the linter has no rule for: each of these is one kind of node that the house does without. */
export default {
  meta: { name: 'house' },
  rules: {
    'no-enum': never('TSEnumDeclaration', 'A union of literals says the same and is not a second kind of value.'),
    'no-barrel': never('ExportAllDeclaration', 'No barrels: import from the file that has it.'),
    // A decision is given the time; only then a replay decides the same.
    'no-clock': never(
      'NewExpression',
      'Time is passed in.',
      ({ callee, arguments: given }) => callee.name === 'Date' && given.length === 0,
    ),
  },
};

function never(kind, message, applies = () => true) {
  return { create: (context) => ({ [kind]: (node) => applies(node) && context.report({ node, message }) }) };
}
