import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

/** The Python program of a page under docs. */
export const programOf = (page: string): string =>
  /```python\n(.*?)```/s.exec(readFileSync(resolve(import.meta.dirname, '../../docs', page), 'utf8'))?.[1] ?? '';

export interface PythonReceiver {
  readonly stop: () => Promise<void>;
  /** The answer to a query of its database, a list of rows. */
  readonly query: (sql: string) => readonly (readonly unknown[])[];
}

/** Runs the program of docs/destinations.md. */
export function startReceiveScript(port: number, secret: string, verifierKey: string): PythonReceiver {
  const folder = mkdtempSync(join(tmpdir(), 'receive-'));
  writeFileSync(join(folder, 'audit.py'), programOf('auditing.md'));
  writeFileSync(join(folder, 'receive.py'), programOf('destinations.md'));
  const env = { ...process.env, PORT: String(port), SECRET: secret, VKEY: verifierKey };
  const child = spawn('python3', ['receive.py'], { cwd: folder, env, stdio: 'ignore' });
  const read = 'import json, sqlite3, sys; print(json.dumps(sqlite3.connect("events.db").execute(sys.argv[1]).fetchall()))';
  return {
    query: (sql) => {
      const { stdout } = spawnSync('python3', ['-c', read, sql], { cwd: folder, encoding: 'utf8' });
      return stdout === '' ? [] : (JSON.parse(stdout) as readonly (readonly unknown[])[]);
    },
    stop: async () => {
      if (child.exitCode === null) {
        child.kill('SIGKILL');
        await once(child, 'exit');
      }
      rmSync(folder, { recursive: true });
    },
  };
}
