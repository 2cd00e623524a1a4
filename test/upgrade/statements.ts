import type { QueryRunner } from 'typeorm';
import { migrations } from '../../src/migrations/migration-table.ts';

/** The statements of each migration, by its name, in order. */
export async function statements(): Promise<readonly (readonly [name: string, statements: readonly string[]])[]> {
  const all: [string, string[]][] = [];
  for (const Migration of migrations) {
    const said: string[] = [];
    const runner = {
      query: (text: string) => {
        said.push(text.trim());
        return Promise.resolve([]);
      },
    };
    await new Migration().up(runner as unknown as QueryRunner);
    all.push([Migration.name, said]);
  }
  return all;
}

/** In the format of a release's file. */
export const schemaOf = (name: string, said: readonly string[]): string => [`-- ${name}`, ...said.map((text) => `${text};`), ''].join('\n');
