/**
 * A path template, ready to be matched in linear time: no regular expression, which could backtrack for minutes. Each
 * placeholder stands for one character or more of its segment; of several in one segment, the first takes as much as it can.
 */
export class PathPattern {
  /** The names of the placeholders, in their order. */
  readonly names: readonly string[]
  /** Of each segment, the literal texts before, between and after its placeholders. */
  readonly #segments: readonly Segment[]

  constructor(template: string) {
    const { literals, names } = parseTemplate(template)
    this.names = names
    this.#segments = toSegments(literals.map(encodeLiteral))
  }

  /** The values of the placeholders, as they were sent; `undefined` when the path does not match. */
  match(path: string): readonly string[] | undefined {
    const values: string[] = []
    let end = -1
    for (const segment of this.#segments) {
      const start = end + 1
      const slash = path.indexOf('/', start)
      end = slash === -1 ? path.length : slash
      // After the end of the path, there is no further segment.
      if (start > path.length || !matchSegment(segment, path, start, end, values)) return undefined
    }
    return end === path.length ? values : undefined
  }
}

/** Literal text as requests spell it: percent-encoded, unless the document did that already. */
export function encodeLiteral(literal: string): string {
  return encodeURI(literal).replaceAll('%25', '%')
}

/** The literal texts of a segment with placeholders, or the text of one without. */
type Segment =
  | string
  | {
      readonly first: string
      /** Between two placeholders each, from right to left. */
      readonly between: readonly string[]
      readonly last: string
    }

/** A template's literal texts, and the names of the placeholders between them. Braces with nothing in them are literal. */
export function parseTemplate(template: string): {
  readonly literals: readonly string[]
  readonly names: readonly string[]
} {
  const literals: string[] = []
  const names: string[] = []
  let literal = 0
  let open = template.indexOf('{')
  while (open !== -1) {
    const close = template.indexOf('}', open)
    if (close === -1) break
    if (close === open + 1) {
      open = template.indexOf('{', close)
      continue
    }
    literals.push(template.slice(literal, open))
    names.push(template.slice(open + 1, close))
    literal = close + 1
    open = template.indexOf('{', literal)
  }
  return { literals: [...literals, template.slice(literal)], names }
}

function toSegments(literals: readonly string[]): Segment[] {
  const segments: [string, ...string[]][] = []
  for (const [at, literal] of literals.entries()) {
    const [first = '', ...rest] = literal.split('/')
    if (at === 0) segments.push([first])
    else segments.at(-1)?.push(first)
    for (const text of rest) segments.push([text])
  }
  return segments.map(([first, ...others]) => {
    const last = others.pop()
    return last === undefined ? first : { first, between: others.reverse(), last }
  })
}

/**
 * Matches `path` from `start` to `end`, and adds the values of the placeholders. It goes from right to left and takes the last
 * place of each literal text. No other choice leaves more room, so it never has to go back.
 */
function matchSegment(
  segment: Segment,
  path: string,
  start: number,
  end: number,
  values: string[],
): boolean {
  if (typeof segment === 'string') {
    return end - start === segment.length && path.startsWith(segment, start)
  }
  const { first, between, last } = segment
  const least = start + first.length
  let valueEnd = end - last.length
  // A placeholder is never empty.
  if (valueEnd <= least) return false
  if (!path.startsWith(first, start) || !path.startsWith(last, valueEnd)) return false
  if (between.length === 0) {
    values.push(path.slice(least, valueEnd))
    return true
  }
  const found: string[] = []
  for (const literal of between) {
    const place = path.lastIndexOf(literal, valueEnd - 1 - literal.length)
    if (place <= least) return false
    found.push(path.slice(place + literal.length, valueEnd))
    valueEnd = place
  }
  values.push(path.slice(least, valueEnd), ...found.reverse())

  return true
}
