import { element, FONT } from '../../../kernel/markup.ts';

const HEIGHT = 20;
const PADDING = 8;
/** White text on each of them has a contrast of at least 4.5 (WCAG AA). */
const colours = { good: '#1a7f37', fair: '#7d6608', bad: '#b3202c', unknown: '#59636e' } as const;
const labels = { light: '#3b424a', dark: '#21262d' } as const;

interface LabelledBadge {
  readonly label: string;
  readonly value: string;
  readonly tone: keyof typeof colours;
  readonly theme?: keyof typeof labels;
}

/** Two words beside each other as a small SVG. */
export function labelledBadge({ label, value, tone, theme = 'light' }: LabelledBadge): string {
  const colour = colours[tone];
  const [left, right] = [widthOf(label), widthOf(value)];
  const word = (text: string, x: number, width: number) =>
    element(
      'text',
      { x: x + width / 2, y: 14, 'text-anchor': 'middle', textLength: width - 2 * PADDING, lengthAdjust: 'spacingAndGlyphs' },
      text,
    );
  return element(
    'svg',
    {
      xmlns: 'http://www.w3.org/2000/svg',
      width: left + right,
      height: HEIGHT,
      role: 'img',
      'aria-label': `${label}: ${value}`,
      'font-family': FONT,
      'font-size': 11,
      fill: '#ffffff',
    },
    element('title', {}, `${label}: ${value}`),
    element('clipPath', { id: 'round' }, element('rect', { width: left + right, height: HEIGHT, rx: 3 })),
    element(
      'g',
      { 'clip-path': 'url(#round)' },
      element('rect', { width: left, height: HEIGHT, fill: labels[theme] }),
      element('rect', { x: left, width: right, height: HEIGHT, fill: colour }),
    ),
    word(label, 0, left),
    word(value, left, right),
  ).text;
}

/** An estimate without font metrics; `textLength` makes the renderer fit the text to it. */
const widthOf = (text: string): number =>
  Math.round(
    Array.from(text).reduce(
      (sum, character) => sum + (/[\s.,:il]/.test(character) ? 3.6 : /[mw%>]/.test(character) ? 9.4 : 6.4),
      2 * PADDING,
    ),
  );
