const [CR, LF] = [0x0d, 0x0a]

/**
 * Creates a function that takes the text of an event stream piece by piece and counts the lines of each event. It throws a
 * RangeError when an event has more than `maxLines` lines. A blank line ends an event.
 */
export function createLineLimit(maxLines: number): (text: string) => void {
  let lines = 0
  let isBlank = true
  let previous = 0
  const endLine = (): void => {
    lines = isBlank ? 0 : lines + 1
    isBlank = true
    if (lines > maxLines) throw new RangeError('An event has too many lines')
  }
  const take = (code: number): void => {
    if (code !== CR && code !== LF) isBlank = false
    // CR LF is one end of a line.
    else if (code === CR || previous !== CR) endLine()
    previous = code
  }

  return (text) => {
    for (let index = 0; index < text.length; index += 1) take(text.charCodeAt(index))
  }
}
