import { readFile } from 'node:fs/promises';
import type { InitializeHook, LoadHook, ResolveHook } from 'node:module';
import { fileURLToPath } from 'node:url';
import type typescript from 'typescript';

/** Where the service that loads the packages lies. */
export interface Here {
  readonly kit: string;
  readonly root: string;
}

let here: Here = { kit: '', root: '' };

export const initialize: InitializeHook<Here> = (given) => {
  here = given;
};

/** A team's file gets the kit of the service that loads it, wherever either lies, and packages such as Nest's from beside the service where it has none of its own. */
export const resolve: ResolveHook = async (specifier, context, next) => {
  if (specifier === 'watchledger/projection') return { url: here.kit, shortCircuit: true };
  try {
    return await next(specifier, context);
  } catch (cause) {
    const isBare = !/^(\.|\/|[a-z]+:)/.test(specifier);
    if (!isBare || context.parentURL === here.root) throw cause;
    try {
      return await next(specifier, { ...context, parentURL: here.root });
    } catch {
      throw cause;
    }
  }
};

/** TypeScript as it was written, where the compiler is at hand: in a clone, not in an image. Types are for the editor and `npm run check`. */
export const load: LoadHook = async (url, context, next) => {
  if (!/\.m?ts$/.test(url)) return next(url, context);
  const file = fileURLToPath(url);
  return { format: 'module', source: await compile(file, await readFile(file, 'utf8')), shortCircuit: true };
};

async function compile(file: string, text: string): Promise<string> {
  const ts = await compiler(file);
  const { outputText, diagnostics = [] } = ts.transpileModule(text, {
    fileName: file,
    reportDiagnostics: true,
    compilerOptions: {
      target: ts.ScriptTarget.ES2022,
      module: ts.ModuleKind.ESNext,
      verbatimModuleSyntax: true,
      experimentalDecorators: true,
      emitDecoratorMetadata: true,
      inlineSourceMap: true,
    },
  });
  const [wrong] = diagnostics;
  if (wrong === undefined) return outputText;
  const line = wrong.file?.getLineAndCharacterOfPosition(wrong.start ?? 0).line ?? 0;
  throw new SyntaxError(`${file}:${String(line + 1)}: ${ts.flattenDiagnosticMessageText(wrong.messageText, ' ')}`);
}

/** A name that no package has: it is not a dependency of a running service. */
const COMPILER = { name: 'typescript' };

async function compiler(file: string): Promise<typeof typescript> {
  try {
    return ((await import(COMPILER.name)) as { readonly default: typeof typescript }).default;
  } catch (cause) {
    throw new Error(`${file} is TypeScript and there is no compiler here: compile it (npx tsc) and name the .js file`, { cause });
  }
}
