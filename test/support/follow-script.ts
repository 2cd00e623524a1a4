import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

/** Without Python the tests of the guide are skipped. */
export const hasPython = spawnSync('python3', ['-c', 'import sqlite3']).status === 0;

const guide = readFileSync(resolve(import.meta.dirname, '../../docs/follow-the-log.md'), 'utf8');

/** Runs the program of docs/follow-the-log.md up to the end of the log, each time on the same database; answers its rows. */
export function followScript(url: string, token: string, types: readonly string[]): () => Promise<readonly string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'follow-'));
  writeFileSync(join(folder, 'follow.py'), /```python\n(.*?)```/s.exec(guide)?.[1] ?? '');
  const python = (...words: readonly string[]) =>
    promisify(execFile)('python3', words, { cwd: folder, env: { ...process.env, WATCHLEDGER_URL: url, WATCHLEDGER_TOKEN: token } });
  return async () => {
    await python('follow.py', '--once', ...types);
    const read =
      'import sqlite3; print("\\n".join(row[0] for row in sqlite3.connect("events.db").execute("SELECT id FROM event ORDER BY at")))';
    return (await python('-c', read)).stdout.split('\n').filter((line) => line !== '');
  };
}
