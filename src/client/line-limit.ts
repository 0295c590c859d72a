const [CR, LF] = [0x0d, 0x0a]

/**
 * Counts the lines of each event in a stream of events, whose text it gets piece by piece. Throws a RangeError at an event
 * with more than `most` lines. A blank line ends an event.
 */
export function createLineLimit(most: number): (text: string) => void {
  let lines = 0
  let isBlank = true
  let previous = 0
  const endLine = (): void => {
    lines = isBlank ? 0 : lines + 1
    isBlank = true
    if (lines > most) throw new RangeError('An event has too many lines')
  }
  const take = (code: number): void => {
    if (code !== CR && code !== LF) isBlank = false
    // A CR and an LF after it end one line.
    else if (code === CR || previous !== CR) endLine()
    previous = code
  }

  return (text) => {
    for (let at = 0; at < text.length; at += 1) take(text.charCodeAt(at))
  }
}
