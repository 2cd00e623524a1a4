const WIDTH = 142;
const HEIGHT = 22;

/** Values over a day as a line, never drawn across a gap. A steady one runs through the middle, and one that doubled reaches the top. */
export function Sparkline({ values, label }: { readonly values: readonly (number | null)[]; readonly label: string }) {
  const measured = values.filter((value) => value !== null);
  const mean = measured.reduce((sum, value) => sum + value, 0) / Math.max(1, measured.length);
  const top = Math.max(1, 2 * mean, ...measured);
  const step = WIDTH / Math.max(1, values.length - 1);
  const height = (value: number): number => HEIGHT - 2 - (value / top) * (HEIGHT - 4);
  let path = '';
  let isDrawing = false;
  values.forEach((value, index) => {
    if (value !== null) path += `${isDrawing ? 'L' : 'M'}${(index * step).toFixed(1)} ${height(value).toFixed(1)}`;
    isDrawing = value !== null;
  });
  return (
    <svg class="sparkline" viewBox={`0 0 ${String(WIDTH)} ${String(HEIGHT)}`} width={WIDTH} height={HEIGHT} role="img" aria-label={label}>
      <path d={path} />
    </svg>
  );
}
