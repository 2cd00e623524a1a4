const WIDTH = 142;
const HEIGHT = 22;

/** Values over a day as a line, never drawn across a gap. */
export function Sparkline({ values, label }: { readonly values: readonly (number | null)[]; readonly label: string }) {
  const highest = Math.max(1, ...values.map((value) => value ?? 0));
  const step = WIDTH / Math.max(1, values.length - 1);
  const height = (value: number): number => HEIGHT - 2 - (value / (highest * 1.15)) * (HEIGHT - 4);
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
