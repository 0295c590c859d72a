/** Collects the values of an option that may be given several times, for commander. */
export function collect(value: string, earlier: readonly string[] = []): readonly string[] {
  return [...earlier, value]
}
