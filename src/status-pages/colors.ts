/** The background of a status page. */
export const PAPER = { light: '#fbfaf7', dark: '#141412' } as const;

/** The smallest contrast of text (WCAG 2.2, 1.4.3). */
export const SMALLEST_CONTRAST = 4.5;

export const isColor = (text: string): boolean => /^#[0-9a-f]{6}$/.test(text);

/** Relative luminance by WCAG 2.2. */
function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((place) => {
    const share = parseInt(color.slice(place, place + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

export function contrastOf(one: string, other: string): number {
  const [darker = 0, lighter = 0] = [luminance(one), luminance(other)].toSorted((left, right) => left - right);
  return (lighter + 0.05) / (darker + 0.05);
}
