/** An instant as a field for date and time takes it: in the zone of the reader, without a zone. */
export function localField(at: number): string {
  const local = new Date(at - new Date(at).getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 19);
}
