/** Returns a number for a message, with commas between thousands. */
export function formatNumber(value: number): string {
  return value.toLocaleString('en-US');
}
