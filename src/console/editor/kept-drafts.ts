import type { CheckDraft } from './draft.ts';

/** What was typed and not saved, by check, as long as the console is open: the back button loses nothing. Never on the disk: a draft may hold secrets. */
const kept = new Map<string, CheckDraft>();

export const keptDraft = (key: string): CheckDraft | null => kept.get(key) ?? null;

/** Null: it was saved, or given up. */
export function keepDraft(key: string, draft: CheckDraft | null): void {
  if (draft === null) kept.delete(key);
  else kept.set(key, draft);
}
