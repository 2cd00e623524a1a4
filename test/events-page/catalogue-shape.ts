import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import ts from 'typescript';

/** The type-checked sources. */
export class Sources {
  constructor(
    readonly root: string,
    readonly program: ts.Program,
    readonly checker: ts.TypeChecker,
  ) {}

  isOurs({ declarations = [] }: ts.Symbol): boolean {
    return declarations.some((node) => node.getSourceFile().fileName.startsWith(join(this.root, 'src')));
  }

  about(symbol: ts.Symbol): string {
    return ts.displayPartsToString(symbol.getDocumentationComment(this.checker)).replaceAll(/\s+/g, ' ').trim();
  }
}

/** An event type with the type of its data. */
export interface DeclaredEvent {
  readonly type: string;
  readonly about: string;
  readonly data: ts.Type;
}

export interface Field {
  readonly name: string;
  readonly type: string;
  readonly about: string;
}

export interface EventShape {
  readonly type: string;
  readonly about: string;
  readonly fields: readonly Field[];
}

/** A named type of a field. */
export interface NamedShape {
  readonly name: string;
  readonly about: string;
  /** Of an object. */
  readonly fields: readonly Field[] | null;
  /** Of anything else, such as a choice of words. */
  readonly text: string;
}

export function readSources(root: string): Sources {
  const files = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .toSorted()
    .filter((name) => name.endsWith('.ts') && !/\.((int-|release-)?spec|contract)\.ts$/.test(name))
    .map((name) => join(root, 'src', name));
  const options: ts.CompilerOptions = {
    target: ts.ScriptTarget.ES2023,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    allowImportingTsExtensions: true,
    strict: true,
    noEmit: true,
    types: [],
  };
  const host = ts.createCompilerHost(options);
  // Our own files alone: what events are made of comes from no package, and reading those takes ten times as long.
  host.resolveModuleNameLiterals = (literals, from) =>
    literals.map(({ text }) => ({
      resolvedModule: text.startsWith('.')
        ? { resolvedFileName: join(dirname(from), text), extension: ts.Extension.Ts, isExternalLibraryImport: false }
        : undefined,
    }));
  const program = ts.createProgram(files, options, host);
  return new Sources(root, program, program.getTypeChecker());
}

const FLAGS: ts.TypeFormatFlags =
  ts.TypeFormatFlags.NoTruncation |
  ts.TypeFormatFlags.UseAliasDefinedOutsideCurrentScope |
  ts.TypeFormatFlags.UseSingleQuotesForStringLiteralType;

/** Reads `Events` of src/events.ts, and every name that its fields are made of. */
export class CatalogueShape {
  private readonly named = new Map<string, NamedShape>();

  constructor(private readonly sources: Sources) {}

  events(): readonly EventShape[] {
    return this.declared().map(({ type, about, data }) => ({ type, about, fields: this.fieldsOf(data) }));
  }

  declared(): readonly DeclaredEvent[] {
    const file = this.sources.program.getSourceFile(join(this.sources.root, 'src/events.ts'));
    const declaration = file?.statements.find(
      (node): node is ts.InterfaceDeclaration => ts.isInterfaceDeclaration(node) && node.name.text === 'Events',
    );
    if (declaration === undefined) throw new Error('src/events.ts declares no Events');
    return this.sources.checker
      .getTypeAtLocation(declaration)
      .getProperties()
      .map((event) => ({ type: event.name, about: this.sources.about(event), data: this.sources.checker.getTypeOfSymbol(event) }));
  }

  /** After `events`. */
  names(): readonly NamedShape[] {
    return [...this.named.values()].toSorted((a, b) => a.name.localeCompare(b.name));
  }

  private fieldsOf(type: ts.Type): readonly Field[] {
    return type.getProperties().map((field) => {
      const of = this.sources.checker.getTypeOfSymbol(field);
      this.collect(of);
      const optional = (field.flags & ts.SymbolFlags.Optional) !== 0 ? '?' : '';
      // JSON has no undefined: the question mark says it.
      const type = optional === '' ? this.text(of) : this.text(of).replace(/ \| undefined$/, '');
      return { name: `${field.name}${optional}`, type, about: this.sources.about(field) };
    });
  }

  private collect(type: ts.Type): void {
    const name = type.aliasSymbol ?? (type.isClassOrInterface() ? type.symbol : undefined);
    for (const part of [...(type.aliasTypeArguments ?? []), ...(type.isUnionOrIntersection() ? type.types : [])]) this.collect(part);
    if (this.sources.checker.isArrayLikeType(type))
      for (const part of this.sources.checker.getTypeArguments(type as ts.TypeReference)) this.collect(part);
    if (name === undefined || this.named.has(name.name) || !this.sources.isOurs(name) || type.aliasTypeArguments !== undefined) return;
    const isObject = (type.flags & ts.TypeFlags.Object) !== 0 || type.isIntersection();
    const shape = { name: name.name, about: this.sources.about(name), fields: null, text: this.expanded(type) };
    // Before its fields: a shape may hold itself.
    this.named.set(name.name, shape);
    if (isObject && !this.sources.checker.isArrayLikeType(type)) this.named.set(name.name, { ...shape, fields: this.fieldsOf(type) });
  }

  private text(type: ts.Type): string {
    return this.sources.checker.typeToString(type, undefined, FLAGS);
  }

  private expanded(type: ts.Type): string {
    return this.sources.checker.typeToString(type, undefined, FLAGS | ts.TypeFormatFlags.InTypeAlias);
  }
}
