import { readFile } from 'node:fs/promises';
import type { InitializeHook, LoadHook, ResolveHook } from 'node:module';
import { fileURLToPath } from 'node:url';
import type typescript from 'typescript';

/** Addresses of the running service: its files for what it shares with teams, and a module from which its packages resolve. */
export interface ServiceUrls {
  readonly shared: Readonly<Record<string, string>>;
  readonly root: string;
}

let service: ServiceUrls = { shared: {}, root: '' };

export const initialize: InitializeHook<ServiceUrls> = (urls) => {
  service = urls;
};

/** The projection kit and Nest resolve to those of the running service; so do other packages that a team does not have. */
export const resolve: ResolveHook = async (specifier, context, next) => {
  const shared = service.shared[specifier];
  if (shared !== undefined) return { url: shared, shortCircuit: true };
  try {
    return await next(specifier, context);
  } catch (cause) {
    const isBare = !/^(\.|\/|[a-z]+:)/.test(specifier);
    if (!isBare || context.parentURL === service.root) throw cause;
    try {
      return await next(specifier, { ...context, parentURL: service.root });
    } catch {
      throw cause;
    }
  }
};

/** Compiles TypeScript without checking types, where the compiler is installed: in a clone, not in an image. */
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
  const [problem] = diagnostics;
  if (problem === undefined) return outputText;
  const line = problem.file?.getLineAndCharacterOfPosition(problem.start ?? 0).line ?? 0;
  throw new SyntaxError(`${file}:${String(line + 1)}: ${ts.flattenDiagnosticMessageText(problem.messageText, ' ')}`);
}

/** Imported by a variable name, because it is a development dependency that bundlers and linters must not treat as required. */
const COMPILER = { name: 'typescript' };

async function compiler(file: string): Promise<typeof typescript> {
  try {
    return ((await import(COMPILER.name)) as { readonly default: typeof typescript }).default;
  } catch (cause) {
    throw new Error(`${file} is TypeScript, and no compiler is installed: compile it (npx tsc) and name the .js file`, { cause });
  }
}
