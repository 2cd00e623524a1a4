/** Microseconds since the epoch as the log writes them: ISO 8601 in UTC with six digits. */
export function recordedTime(microseconds: number): string {
  const milliseconds = Math.floor(microseconds / 1_000);
  const rest = String(microseconds % 1_000).padStart(3, '0');
  return `${new Date(milliseconds).toISOString().slice(0, -1)}${rest}Z`;
}
