/**
 * A path template that matches paths in linear time. A regular expression could backtrack for minutes. Each parameter matches
 * one or more characters of its segment. Of several parameters in one segment, the first matches as much as it can.
 */
export class PathPattern {
  /** The names of the parameters, in order. */
  readonly names: readonly string[]
  readonly #segments: readonly Segment[]

  constructor(template: string) {
    const { literals, names } = parseTemplate(template)
    this.names = names
    this.#segments = toSegments(literals.map(encodeLiteral))
  }

  /** The values of the parameters, still percent-encoded; `undefined` when the path does not match. */
  match(path: string): readonly string[] | undefined {
    const values: string[] = []
    let end = -1
    for (const segment of this.#segments) {
      const start = end + 1
      const slash = path.indexOf('/', start)
      end = slash === -1 ? path.length : slash
      // The path has ended, and the template has another segment.
      if (start > path.length || !matchSegment(segment, path, start, end, values)) return undefined
    }
    return end === path.length ? values : undefined
  }
}

/** Literal text as requests spell it: percent-encoded, unless the document has encoded it already. */
export function encodeLiteral(literal: string): string {
  // Half of a surrogate pair cannot be encoded.
  return encodeURI(literal.replace(/\p{Surrogate}/gu, '\ufffd')).replaceAll('%25', '%')
}

/** A segment without parameters as a string; otherwise the literal texts around its parameters. */
type Segment =
  | string
  | {
      readonly first: string
      /** The texts between parameters, from right to left. */
      readonly between: readonly string[]
      readonly last: string
    }

/** The literal texts of a template, and the names of the parameters between them. Empty braces are literal text. */
export function parseTemplate(template: string): {
  readonly literals: readonly string[]
  readonly names: readonly string[]
} {
  const literals: string[] = []
  const names: string[] = []
  let literalStart = 0
  let open = template.indexOf('{')
  while (open !== -1) {
    const close = template.indexOf('}', open)
    if (close === -1) break
    if (close === open + 1) {
      open = template.indexOf('{', close)
      continue
    }
    literals.push(template.slice(literalStart, open))
    names.push(template.slice(open + 1, close))
    literalStart = close + 1
    open = template.indexOf('{', literalStart)
  }
  return { literals: [...literals, template.slice(literalStart)], names }
}

function toSegments(literals: readonly string[]): Segment[] {
  const segments: [string, ...string[]][] = []
  for (const [index, literal] of literals.entries()) {
    const [first = '', ...rest] = literal.split('/')
    if (index === 0) segments.push([first])
    else segments.at(-1)?.push(first)
    for (const text of rest) segments.push([text])
  }
  return segments.map(([first, ...others]) => {
    const last = others.pop()
    return last === undefined ? first : { first, between: others.reverse(), last }
  })
}

/**
 * Matches `path` from `start` to `end`, and adds the values of the parameters to `values`. It goes from right to left and takes
 * the last occurrence of each literal text. No other choice leaves more text for the rest, so it never has to backtrack.
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
  const valueStart = start + first.length
  let valueEnd = end - last.length
  // A parameter is never empty.
  if (valueEnd <= valueStart) return false
  if (!path.startsWith(first, start) || !path.startsWith(last, valueEnd)) return false
  if (between.length === 0) {
    values.push(path.slice(valueStart, valueEnd))
    return true
  }
  const found: string[] = []
  for (const literal of between) {
    const position = path.lastIndexOf(literal, valueEnd - 1 - literal.length)
    if (position <= valueStart) return false
    found.push(path.slice(position + literal.length, valueEnd))
    valueEnd = position
  }
  values.push(path.slice(valueStart, valueEnd), ...found.reverse())

  return true
}
