import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { codeOf } from '../../kernel/system-error.ts';

const LINUX = process.platform === 'linux';

/** False for a zombie, which holds no resource any more. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return codeOf(error) === 'EPERM';
  }
  return !LINUX || statOf(pid)?.state !== 'Z';
}

/** Together with the start time a pid, which is reused, identifies one process. */
export function startOf(pid: number): string | undefined {
  if (LINUX) return statOf(pid)?.start;
  try {
    return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim() || undefined;
  } catch {
    return undefined;
  }
}

/** The processes whose command line contains the tag. Every Postgres process shows the cluster name in its title, so orphans are found, too. */
export function processesTagged(tag: string): readonly number[] {
  const lines = LINUX ? commandLines() : execFileSync('ps', ['-axo', 'pid=,command='], { encoding: 'utf8' }).split('\n');
  return lines
    .filter((line) => line.includes(tag) && line.includes('postgres'))
    .map((line) => parseInt(line, 10))
    .filter((pid) => pid !== process.pid && isAlive(pid));
}

export const commandOf = (pid: number): string => {
  try {
    return LINUX
      ? readFileSync(`/proc/${String(pid)}/cmdline`, 'utf8').replaceAll('\0', ' ')
      : execFileSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' });
  } catch {
    return '';
  }
};

/** Pids of another boot or another container identify no process here. */
export function pidNamespace(): string {
  if (!LINUX) return process.platform;
  return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()} ${readlinkSync('/proc/self/ns/pid')}`;
}

/** True when the signal was delivered. */
export function signal(pid: number, name: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, name);
  } catch {
    return false;
  }
}

const commandLines = (): string[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => `${pid} ${commandOf(Number(pid))}`);

function statOf(pid: number): { state: string | undefined; start: string | undefined } | undefined {
  try {
    const line = readFileSync(`/proc/${String(pid)}/stat`, 'utf8');
    // The second field is a name in parentheses that may itself contain spaces.
    const fields = line.slice(line.lastIndexOf(')') + 2).split(' ');
    return { state: fields[0], start: fields[19] };
  } catch {
    return undefined;
  }
}
