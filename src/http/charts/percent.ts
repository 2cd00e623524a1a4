/** Never 100 % while something is missing, never 0 % while something is there. */
export function percent(value: number): string {
  if (value === 0 || value === 100) return `${String(value)} %`;
  if (value > 99.995) return '> 99.99 %';
  if (value < 0.005) return '< 0.01 %';
  return `${value.toFixed(2)} %`;
}
