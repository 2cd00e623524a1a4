export const MONTH = /^\d{4}-(0[1-9]|1[0-2])$/;

/** A calendar month in a UTC offset. */
export function spanOfMonth(month: string, offsetMinutes: number): { readonly from: string; readonly to: string } {
  const [year = 0, number = 1] = month.split('-').map(Number);
  const begin = (months: number): string => {
    const at = new Date(0);
    at.setUTCFullYear(year, number - 1 + months, 1);
    return new Date(at.getTime() - offsetMinutes * 60_000).toISOString();
  };
  return { from: begin(0), to: begin(1) };
}
