import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';

/** Of `/proc/PID/stat`, counted from the state, which follows the name of the program (proc_pid_stat(5), `env_start` and `env_end`). */
const [ENV_START, ENV_END] = [47, 48];

/**
 * Overwrites the memory from which Linux shows the environment of this process to all processes of its user (`/proc/PID/environ`), those of packages among
 * them. The variables stay, elsewhere in memory. False where the system does not allow it, or is none with `/proc`.
 */
export function hideEnvironment(): boolean {
  try {
    const stat = readFileSync('/proc/self/stat', 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [start, end] = [Number(fields[ENV_START]), Number(fields[ENV_END])];
    if (!(start > 0 && end > start)) return false;
    copyVariables();
    const memory = openSync('/proc/self/mem', 'r+');
    try {
      return writeSync(memory, Buffer.alloc(end - start), 0, end - start, start) === end - start;
    } finally {
      closeSync(memory);
    }
  } catch {
    return false;
  }
}

/** `setenv` allocates what it sets, so that nothing reads the memory of the start afterwards. */
function copyVariables(): void {
  for (const [name, value] of Object.entries(process.env)) process.env[name] = value;
}
