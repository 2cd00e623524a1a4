/**
 * In the output of a statement that changes something: its commit waits neither for the disk nor for a standby. The write-ahead log is flushed in order,
 * so the next commit of the same database that does wait makes it durable as well; a crash before that loses both.
 */
export const WITHOUT_FLUSH = `set_config('synchronous_commit', 'off', true)`;
