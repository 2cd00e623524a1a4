import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

/** On a machine without Python the tests of its programs are skipped. */
export const hasPython = spawnSync('python3', ['--version']).status === 0;

const guide = readFileSync(resolve(import.meta.dirname, '../../docs/auditing.md'), 'utf8');

export interface AuditResult {
  readonly status: number | null;
  readonly said: string;
}

/** Runs the independent verifier of docs/auditing.md on some evidence: `audit.py WHAT evidence MORE`. */
export const audit = (what: 'proof' | 'export' | 'kept', evidence: string, ...more: readonly string[]): Promise<AuditResult> =>
  run(evidence, ['audit.py', what, 'evidence', ...more]);

/** Runs the independent verifier of statements: `statement.py evidence VKEY`. */
export const auditStatement = (evidence: string, verifierKey: string): Promise<AuditResult> =>
  run(evidence, ['statement.py', 'evidence', verifierKey]);

async function run(evidence: string, command: readonly string[]): Promise<AuditResult> {
  const folder = mkdtempSync(join(tmpdir(), 'audit-'));
  try {
    const [audit = '', statement = ''] = [...guide.matchAll(/```python\n(.*?)```/gs)].map(([, program]) => program);
    writeFileSync(join(folder, 'audit.py'), audit);
    writeFileSync(join(folder, 'statement.py'), statement);
    writeFileSync(join(folder, 'evidence'), evidence);
    // Asynchronous, because this process may answer the script's requests.
    const child = spawn('python3', command, { cwd: folder });
    let said = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (said += chunk.toString()));
    const [status] = (await once(child, 'close')) as [number | null];
    return { status, said };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
