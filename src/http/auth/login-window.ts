/** docs/spec/decisions.md#G12. */
export const LOGIN_WINDOW_SECONDS = 15 * 60;
