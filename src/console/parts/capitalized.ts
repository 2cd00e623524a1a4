/** What the service says in the middle of a sentence, where it begins one. */
export const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
