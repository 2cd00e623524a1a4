import { transformSync } from 'oxc-transform';

const options = {
  lang: 'ts',
  sourceType: 'module',
  target: 'es2022',
  typescript: { onlyRemoveTypeImports: true },
  // Nest injects by the metadata of decorators.
  decorator: { legacy: true, emitDecoratorMetadata: true },
  sourcemap: true,
};

/** TypeScript as JavaScript, with its source map, without a check of the types. */
export function transpile(file, text) {
  const { code, map, errors } = transformSync(file, text, options);
  if (errors.length > 0) throw new SyntaxError(`${file}:${lineOf(text, errors[0])}: ${errors[0].message}`);
  return { code, map: JSON.stringify(map) };
}

/** The same in one text. */
export function transpileInline(file, text) {
  const { code, map } = transpile(file, text);
  return `${code}\n//# sourceMappingURL=data:application/json;base64,${Buffer.from(map).toString('base64')}\n`;
}

const lineOf = (text, { labels }) => text.slice(0, labels[0]?.start ?? 0).split('\n').length;
