/** The key and the name by which a wanted object is found among the existing ones. */
export interface Identified {
  readonly key: string | null;
  readonly name: string;
}

/**
 * The existing object of each wanted one, by its place: that with its key, else the one whose id is the key, else the only one of its name whose own key
 * no wanted object has. Null: there is none.
 */
export function matched(wanted: readonly Identified[], existing: ReadonlyMap<string, Identified>): readonly (string | null)[] {
  const left = new Map(existing);
  const found = wanted.map((): string | null => null);
  const take = (index: number, id: string): void => {
    found[index] = id;
    left.delete(id);
  };
  const byKey = new Map([...existing].flatMap(([id, { key }]) => (key === null ? [] : [[key, id] as const])));
  for (const [index, { key }] of wanted.entries()) {
    const id = key === null ? undefined : (byKey.get(key) ?? (existing.get(key)?.key === null ? key : undefined));
    if (id !== undefined && left.has(id)) take(index, id);
  }
  const byName = new Map<string, string[]>();
  for (const [id, { name }] of left) byName.set(name, [...(byName.get(name) ?? []), id]);
  const namesakes = new Map<string, number>();
  for (const [index, { name }] of wanted.entries()) if (found[index] === null) namesakes.set(name, (namesakes.get(name) ?? 0) + 1);
  for (const [index, { name }] of wanted.entries()) {
    if (found[index] !== null || namesakes.get(name) !== 1) continue;
    const [id, ...more] = byName.get(name) ?? [];
    if (id !== undefined && more.length === 0) take(index, id);
  }
  return found;
}
