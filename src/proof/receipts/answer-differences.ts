const MOST = 10;
const LONGEST = 120;

/** Where two answers differ, in words: by members where both are JSON, else by the first character. */
export function answerDifferences(signed: string, computed: string): readonly string[] {
  const [one, other] = [parsed(signed), parsed(computed)];
  const found = one === undefined || other === undefined ? [] : memberDifferences('', one, other);
  if (found.length > 0) return [...found.slice(0, MOST), ...(found.length > MOST ? [`and ${String(found.length - MOST)} more`] : [])];
  let at = 0;
  while (at < signed.length && signed[at] === computed[at]) at++;
  return [`character ${String(at)}: signed ${said(signed.slice(at))}, computed ${said(computed.slice(at))}`];
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function memberDifferences(path: string, signed: unknown, computed: unknown): readonly string[] {
  if (Object.is(signed, computed)) return [];
  if (isMembers(signed) && isMembers(computed) && Array.isArray(signed) === Array.isArray(computed)) {
    const names = [...new Set([...Object.keys(signed), ...Object.keys(computed)])];
    return names.flatMap((name) => memberDifferences(path === '' ? name : `${path}.${name}`, signed[name], computed[name]));
  }
  return [`${path === '' ? 'the answer' : path}: signed ${said(signed)}, computed ${said(computed)}`];
}

const isMembers = (value: unknown): value is Readonly<Record<string, unknown>> => typeof value === 'object' && value !== null;

function said(value: unknown): string {
  if (value === undefined) return 'nothing';
  const text = JSON.stringify(value);
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}
