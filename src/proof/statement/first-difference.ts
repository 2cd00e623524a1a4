/** Where a stated value differs from the computed one, in words; null when they are equal. */
export function firstDifference(path: string, stated: unknown, computed: unknown): string | null {
  if (Object.is(stated, computed)) return null;
  if (isMembers(stated) && isMembers(computed)) {
    const names = [...new Set([...Object.keys(computed), ...Object.keys(stated)])];
    for (const name of names) {
      const found = firstDifference(`${path}.${name}`, stated[name], computed[name]);
      if (found !== null) return found;
    }
    if (Array.isArray(stated) === Array.isArray(computed)) return null;
  }
  return `${path}: the statement says ${said(stated)}, the evidence gives ${said(computed)}`;
}

const isMembers = (value: unknown): value is Readonly<Record<string, unknown>> => typeof value === 'object' && value !== null;

const LONGEST = 120;

function said(value: unknown): string {
  if (value === undefined) return 'nothing';
  const text = JSON.stringify(value);
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}
