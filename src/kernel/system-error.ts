import { StoreUnavailable } from './errors.ts';

/** The code of a system call that failed, such as ENOENT. Not by `instanceof`: errors of another realm are errors, too. */
export const codeOf = (error: unknown): string | undefined =>
  typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string' ? error.code : undefined;

/** For whoever runs the service. */
export const reasonOf = (error: unknown): string => {
  // Of a name with several addresses, each of which was tried: its own message is empty.
  if (error instanceof AggregateError && error.message === '') return [...new Set(error.errors.map(reasonOf))].join('; ');
  if (error instanceof StoreUnavailable) return `${error.message} (${reasonOf(rootOf(error))})`;
  return typeof error === 'object' && error !== null && 'message' in error && typeof error.message === 'string'
    ? // What gRPC leaves empty says nothing.
      error.message.replace(/\. Resolution note: $/, '')
    : String(error);
};

function rootOf(error: Error): unknown {
  let root: unknown = error;
  while (root instanceof Error && root.cause !== undefined) root = root.cause;
  return root;
}

/** What the system refused, such as a disk that is full: its message says what and where, and a stack trace nothing more. */
export const isSystemError = (error: unknown): error is Error =>
  error instanceof Error && 'syscall' in error && codeOf(error) !== undefined && error.message !== '';
