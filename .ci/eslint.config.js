import { resolve } from 'node:path';
import tseslint from 'typescript-eslint';

const root = resolve(import.meta.dirname, '..');
const NEVER = [
  { selector: 'TSEnumDeclaration', message: 'A union of literals says the same and is not a second kind of value.' },
  { selector: 'ExportAllDeclaration', message: 'No barrels: import from the file that has it.' },
];
const TESTS = ['**/*.spec.ts', '**/*.int-spec.ts', '**/*.release-spec.ts', '**/*.contract.ts', 'test/**', 'bench/**'];

export default tseslint.config(
  { ignores: ['dist/**', 'data/**', 'coverage/**', '**/*.mjs', '.ci/**', '**/node_modules/**', 'src/**/generated/**'] },
  ...tseslint.configs.strictTypeChecked,
  ...tseslint.configs.stylisticTypeChecked,
  {
    languageOptions: { parserOptions: { project: ['tsconfig.json', 'src/console/tsconfig.json'], tsconfigRootDir: root } },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: {
      // style.md: usual files have 40 to 150 lines, functions up to about 40.
      'max-lines': ['warn', { max: 300, skipBlankLines: true, skipComments: true }],
      'max-lines-per-function': ['warn', { max: 60, skipBlankLines: true, skipComments: true }],
      complexity: ['warn', 20],
      'max-depth': ['error', 4],
      'max-params': ['warn', 9],
      eqeqeq: ['error', 'always', { null: 'ignore' }],
      'no-console': 'error',
      'no-restricted-syntax': ['error', ...NEVER],
      'no-control-regex': 'error',
      'no-restricted-properties': [
        'error',
        { object: 'URL', property: 'canParse', message: 'Use isUrl: this one is wrong on Node 20 once it is hot.' },
      ],
      // A class that Nest injects must stay a value, which a decorated constructor tells the rule.
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'separate-type-imports', disallowTypeAnnotations: false }],
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/no-extraneous-class': ['error', { allowWithDecorator: true }],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', ignoreRestSiblings: true }],
      '@typescript-eslint/dot-notation': ['error', { allowIndexSignaturePropertyAccess: true }],
      // A generic answer of a port, such as the rows of a query, is named by its caller.
      '@typescript-eslint/no-unnecessary-type-parameters': 'off',
      // Option classes of Nest, Fastify and class-validator are meant as shapes: nobody constructs them.
      '@typescript-eslint/no-unsafe-class-instance-assignment': 'off',
      // A flag that somebody sets during an await looks constant to it.
      '@typescript-eslint/no-unnecessary-condition': 'off',
      // `void | Promise<void>` is how a handler says that it may or may not wait.
      '@typescript-eslint/no-invalid-void-type': 'off',
      '@typescript-eslint/no-generated-empty-object-type': 'off',
      '@typescript-eslint/consistent-indexed-object-style': 'off',
      '@typescript-eslint/require-await': 'off',
      '@typescript-eslint/consistent-type-definitions': 'off',
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
    },
  },
  {
    // A decision is given the time and every random value; only then a replay decides the same.
    files: ['src/domain/**'],
    ignores: TESTS,
    rules: {
      'no-restricted-globals': ['error', 'process', 'setTimeout', 'setInterval', 'setImmediate', 'crypto', 'fetch', 'performance'],
      'no-restricted-properties': ['error', { object: 'Date', property: 'now' }, { object: 'Math', property: 'random' }],
      'no-restricted-syntax': [
        'error',
        ...NEVER,
        { selector: "NewExpression[callee.name='Date'][arguments.length=0]", message: 'Time is passed in.' },
      ],
    },
  },
  {
    files: TESTS,
    rules: {
      'max-lines': 'off',
      'max-lines-per-function': 'off',
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
      '@typescript-eslint/unbound-method': 'off',
      '@typescript-eslint/await-thenable': 'off',
      '@typescript-eslint/no-confusing-void-expression': 'off',
    },
  },
  {
    files: ['src/console/**'],
    rules: {
      // A component says what it shows by its text; its type is that of every component.
      '@typescript-eslint/explicit-module-boundary-types': 'off',
      'max-lines-per-function': ['warn', { max: 80, skipBlankLines: true, skipComments: true }],
    },
  },
  { files: ['bench/**', 'test/support/**', 'src/cli/**'], rules: { 'no-console': 'off' } },
);
