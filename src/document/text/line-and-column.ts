/** The offsets at which the lines of a text start. */
export function lineStarts(text: string): readonly number[] {
  const starts = [0]
  for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', end + 1)) {
    starts.push(end + 1)
  }
  return starts
}

/** `11:30`, both counted from 1, for an offset in a text. */
export function lineAndColumn(starts: readonly number[], offset: number): string {
  let low = 0
  let high = starts.length - 1
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if ((starts[middle] ?? 0) <= offset) low = middle
    else high = middle - 1
  }
  return `${low + 1}:${offset - (starts[low] ?? 0) + 1}`
}
