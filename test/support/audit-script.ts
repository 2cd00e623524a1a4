import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

/** The tools that the script needs; on a machine without them its tests are skipped. */
export const hasAuditTools = ['python3', 'openssl'].every(
  (tool) => spawnSync(tool, [tool === 'openssl' ? 'version' : '--version']).status === 0,
);

const guide = readFileSync(resolve(import.meta.dirname, '../../docs/auditing.md'), 'utf8');

/** Runs the independent verifier of docs/auditing.md on some evidence: `audit.py WHAT evidence MORE`. */
export async function audit(
  what: 'proof' | 'export' | 'kept',
  evidence: string,
  ...more: readonly string[]
): Promise<{ readonly status: number | null; readonly said: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'audit-'));
  writeFileSync(join(folder, 'audit.py'), /```python\n(.*?)```/s.exec(guide)?.[1] ?? '');
  writeFileSync(join(folder, 'evidence'), evidence);
  // Asynchronous, because this process may answer the script's requests.
  const child = spawn('python3', ['audit.py', what, 'evidence', ...more], { cwd: folder });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (said += chunk.toString()));
  const [status] = (await once(child, 'close')) as [number | null];
  return { status, said };
}
