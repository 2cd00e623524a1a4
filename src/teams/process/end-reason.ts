export interface ProcessEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** Why the service ended it; null where it ended by itself. */
  readonly killedFor: string | null;
  /** The end of what it wrote to standard error. */
  readonly stderr: string;
  readonly heapMb: number;
}

/** Why the process of a package ended, for operators and authors. */
export function endReason({ code, signal, killedFor, stderr, heapMb }: ProcessEnd): string {
  if (killedFor !== null) return killedFor;
  if (/heap out of memory|Reached heap limit/i.test(stderr))
    return `its JavaScript memory reached the limit of ${String(heapMb)} MB (TEAM_MEMORY_MB)`;
  if (signal === 'SIGABRT' || code === 134) return 'it aborted (SIGABRT): a crash in native code, or process.abort()';
  if (signal === 'SIGSEGV' || signal === 'SIGBUS' || signal === 'SIGILL' || signal === 'SIGFPE')
    return `a crash in native code (${signal})`;
  if (signal === 'SIGKILL') return 'it was killed (SIGKILL): perhaps by the operating system for want of memory';
  if (signal !== null) return `it was ended by ${signal}`;
  return `it exited with status ${String(code)}: process.exit()`;
}
