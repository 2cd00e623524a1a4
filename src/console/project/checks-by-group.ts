interface Grouped<Group, Check> {
  /** Null for checks without a group. */
  readonly group: Group | null;
  readonly checks: readonly Check[];
}

/** Checks by their group: those without one first, groups without checks too. */
export function checksByGroup<Group extends { readonly id: string }, Check extends { readonly areaId: string }>(
  checks: readonly Check[],
  groups: readonly Group[],
): readonly Grouped<Group, Check>[] {
  const known = new Set(groups.map(({ id }) => id));
  const alone = checks.filter(({ areaId }) => !known.has(areaId));
  return [
    ...(alone.length === 0 ? [] : [{ group: null, checks: alone }]),
    ...groups.map((group) => ({ group, checks: checks.filter(({ areaId }) => areaId === group.id) })),
  ];
}
