/** docs/spec/interface.md#update-project: the body of a change that has nothing else to say. */
export const success = { code: 200, ok: true, error: false } as const;
