// oxlint-disable-next-line no-control-regex -- control characters are what is shown
const DANGEROUS = /\u001b(?!\[\d{1,2}m)|[\u0000-\u0008\u000b-\u001a\u001c-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

/** Terminal injection: names and messages of others may move the cursor, rename the window or turn text around. Such characters are spelled out; colours stay. */
export const harmlessText = (text: string): string =>
  text.replaceAll(DANGEROUS, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
