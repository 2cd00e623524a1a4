import { relative } from 'node:path';
import ts from 'typescript';
import type { Sources } from './catalogue-shape.ts';

export interface Writer {
  /** The command, or else the file. */
  readonly name: string;
  /** Relative to the root of the project. */
  readonly file: string;
}

/** The writers of each event type, from the identifiers in a command through the decisions it calls. */
export class Writers {
  private readonly written = new Map<ts.Node, ReadonlySet<string>>();

  constructor(
    private readonly sources: Sources,
    private readonly types: ReadonlySet<string>,
  ) {}

  byType(): ReadonlyMap<string, readonly Writer[]> {
    const found = new Map<string, Writer[]>();
    const files = this.sources.program.getSourceFiles().toSorted((a, b) => (a.fileName < b.fileName ? -1 : 1));
    for (const file of files) {
      const path = relative(this.sources.root, file.fileName);
      // Plans of site files decide and append nothing.
      if (!mayWrite(path)) continue;
      for (const [name, statements] of writersIn(file, path)) {
        const own = new Set(statements.flatMap((statement) => [...this.typesOf(statement, path)]));
        for (const type of own) found.set(type, [...(found.get(type) ?? []), { name, file: path }]);
      }
    }
    return found;
  }

  private typesOf(node: ts.Node, from: string): ReadonlySet<string> {
    const known = this.written.get(node);
    if (known !== undefined) return known;
    const found = new Set<string>();
    // Before it is full: functions may call each other.
    this.written.set(node, found);
    const visit = (part: ts.Node): void => {
      if (ts.isTypeNode(part) || ts.isImportDeclaration(part) || ts.isCaseClause(part)) {
        if (ts.isCaseClause(part)) part.statements.forEach(visit);
        return;
      }
      if (ts.isStringLiteral(part) && ts.isPropertyAssignment(part.parent) && this.isWritten(part, from)) found.add(part.text);
      if (ts.isIdentifier(part)) for (const type of this.throughName(part, from)) found.add(type);
      ts.forEachChild(part, visit);
    };
    visit(node);
    return found;
  }

  /** A table beside the decisions gives types as values; elsewhere only the fact itself counts. */
  private isWritten({ text, parent }: ts.StringLiteral, from: string): boolean {
    if (!this.types.has(text)) return false;
    if (isDecision(from)) return true;
    return ts.isPropertyAssignment(parent) && parent.name.getText() === 'type' && /\bdata\b/.test(parent.parent.getText());
  }

  private throughName(name: ts.Identifier, from: string): ReadonlySet<string> {
    const { checker, root } = this.sources;
    // A member is no top-level declaration, and to find it takes the type of what it belongs to.
    if (isMember(name)) return new Set();
    const symbol = checker.getSymbolAtLocation(name);
    if (symbol === undefined) return new Set();
    const target = (symbol.flags & ts.SymbolFlags.Alias) !== 0 ? checker.getAliasedSymbol(symbol) : symbol;
    const declaration = target.valueDeclaration;
    const statement = declaration === undefined ? undefined : statementOf(declaration);
    if (statement === undefined) return new Set();
    const path = relative(root, statement.getSourceFile().fileName);
    // Through decisions, and through what commands share; never from one command into another.
    const isShared = isDecision(path) || (isOfCommands(path) && isOfCommands(from));
    return isShared ? this.typesOf(statement, path) : new Set();
  }
}

/** Deciders, and the tables and values that they share with the rest. */
const isDecision = (path: string): boolean =>
  /\.(decider|events|state|settings|setting-table)\.ts$|\/(first-checks|preset|service-account-owners)\.ts$/.test(path);
const isOfCommands = (path: string): boolean =>
  /\.commands\.ts$|^src\/platform\/commands\/|^src\/projects\/(create-in-slot|delete-in-parts|project-slot|project-stream)\.ts$/.test(path);
const mayWrite = (path: string): boolean =>
  /^src\/(?!kernel|client|console|platform\/(?!commands|http)|operations\/backup|site-files\/(?!command-line|\w+\.commands\.ts))/.test(
    path,
  ) &&
  !isDecision(path) &&
  !/\.(view|reader|sentences|tables|description)\.ts$/.test(path);

const isMember = (name: ts.Identifier): boolean =>
  (ts.isPropertyAccessExpression(name.parent) || ts.isPropertyAssignment(name.parent)) && name.parent.name === name;

/** Only top-level declarations; parameters and locals are resolved where they are used. */
function statementOf(declaration: ts.Declaration): ts.Statement | undefined {
  if (ts.isFunctionDeclaration(declaration) && ts.isSourceFile(declaration.parent)) return declaration;
  if (!ts.isVariableDeclaration(declaration)) return undefined;
  const statement = declaration.parent.parent;
  return ts.isVariableStatement(statement) && ts.isSourceFile(statement.parent) ? statement : undefined;
}

/** Each command of a file by its name, with its handler; any other file as a whole. */
function writersIn(file: ts.SourceFile, path: string): readonly (readonly [string, readonly ts.Statement[]])[] {
  if (!isOfCommands(path)) return [[path.replace(/^.*\//, '').replace(/(\.action)?\.ts$/, ''), file.statements]];
  return file.statements
    .filter((statement): statement is ts.ClassDeclaration => ts.isClassDeclaration(statement))
    .map((statement) => [statement.name?.text.replace(/Handler$/, '') ?? path, [statement]]);
}
