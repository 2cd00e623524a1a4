import { StoreUnavailable } from './errors.ts';

/** The code of a failed system call, such as ENOENT. Without `instanceof`, because errors may come from another realm. */
export const codeOf = (error: unknown): string | undefined =>
  typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string' ? error.code : undefined;

/** The reason of an error, for operators. */
export const reasonOf = (error: unknown): string => {
  // A failed connection to a name with several addresses has an empty message of its own.
  if (error instanceof AggregateError && error.message === '') return [...new Set(error.errors.map(reasonOf))].join('; ');
  if (error instanceof StoreUnavailable && error.cause !== undefined) return `${error.message} (${reasonOf(rootOf(error))})`;
  return typeof error === 'object' && error !== null && 'message' in error && typeof error.message === 'string'
    ? // gRPC appends this label even without a note.
      error.message.replace(/\. Resolution note: $/, '')
    : String(error);
};

function rootOf(error: Error): unknown {
  let root: unknown = error;
  while (root instanceof Error && root.cause !== undefined) root = root.cause;
  return root;
}

/** A failed system call, such as on a full disk: its message is enough, a stack trace adds nothing. */
export const isSystemError = (error: unknown): error is Error =>
  error instanceof Error && 'syscall' in error && codeOf(error) !== undefined && error.message !== '';
