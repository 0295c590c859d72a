/** Syntax of other engines (Ruby, PCRE, Python, Java) that means something else in JavaScript, or nothing. */
const FOREIGN =
  /\\[AzZhR]|\(\?P?<\w|\(\?>|\(\?[imsux]+\)|[*+?}]\+|\[:\^?\w+:\]|\\[pP]\{(?:Alnum|Digit|Space|Blank|Punct|XDigit|Cntrl|Print|Graph)\}/

/** POSIX classes of characters, as they are in a class of JavaScript. */
const POSIX: Readonly<Record<string, string>> = {
  alpha: 'a-zA-Z',
  digit: '0-9',
  alnum: 'a-zA-Z0-9',
  upper: 'A-Z',
  lower: 'a-z',
  space: '\\s',
  blank: ' \\t',
  punct: '!-\\/:-@\\[-`{-~',
  xdigit: '0-9A-Fa-f',
  word: '\\w',
  cntrl: '\\x00-\\x1f',
  print: '\\x20-\\x7e',
  graph: '\\x21-\\x7e',
}

/** Escapes of other engines outside of classes. */
const ESCAPES: Readonly<Record<string, string>> = {
  '\\A': '^',
  '\\Z': '$',
  '\\z': '$',
  '\\h': '[ \\t]',
  '\\R': '(?:\\r\\n|[\\n\\r])',
}

/** One part of a pattern: an escape, a POSIX class, the start of a group, a quantifier, or one character. */
const PARTS =
  /\\(?:u\{[^}]*\}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|[pPk][{<][^}>]*[}>]|c[A-Za-z]|[\s\S])|\[:\^?\w+:\]|\(\?(?:P?<(?![=!])|[>:=!]|<[=!]|[imsux]+\))|(?:[*+?]|\{\d+(?:,\d*)?\})[+?]?|[\s\S]/gu

/**
 * A regular expression of JSON Schema (ECMA-262) for one that is written for another engine: anchors `\A` and `\z`, possessive
 * quantifiers, atomic and named groups, POSIX classes, and `(?i)` at its start. Other patterns stay as they are.
 */
export function toEcmaPattern(pattern: string): string {
  if (!FOREIGN.test(pattern)) return pattern
  const ignoresCase = /^\^?\(\?[msux]*i/.test(pattern)
  let isInClass = false
  const parts = (pattern.match(PARTS) ?? []).map((part) => {
    if (isInClass) {
      if (part === ']') isInClass = false
      return ignoresCase ? withBothCases(inClass(part)) : inClass(part)
    }
    if (part === '[') isInClass = true
    const own = outsideOfClass(part)
    return ignoresCase && /^[a-z]$/i.test(own) ? `[${withBothCases(own)}]` : own
  })
  const joined = parts.join('')

  return ignoresCase ? withRangesOfBothCases(joined) : joined
}

function inClass(part: string): string {
  const [, name = ''] = /^\[:(\w+):\]$/.exec(part) ?? []
  const java = ofJava(part)
  return POSIX[name] ?? (java?.isOther ? part : (java?.members ?? part))
}

/** A POSIX class as Java writes it, such as `\p{Alnum}`, where JavaScript has no property of the name. */
function ofJava(part: string): { readonly members: string; readonly isOther: boolean } | undefined {
  const [, kind, name = ''] = /^\\([pP])\{([A-Z]\w+)\}$/.exec(part) ?? []
  const members = FOREIGN.test(part) ? POSIX[name.toLowerCase()] : undefined
  return members === undefined ? undefined : { members, isOther: kind === 'P' }
}

function outsideOfClass(part: string): string {
  if (/^\(\?[imsux]+\)$/.test(part)) return ''
  if (part === '(?P<') return '(?<'
  if (part === '(?>') return '(?:'
  // A possessive quantifier accepts less, but only where a pattern is written for its speed.
  if (/^(?:[*+?]|\{.*\})\+$/.test(part)) return part.slice(0, -1)
  const java = ofJava(part)
  if (java) return `[${java.isOther ? '^' : ''}${java.members}]`

  return ESCAPES[part] ?? part
}

function withBothCases(part: string): string {
  return /^[a-z]$/i.test(part) ? part.toLowerCase() + part.toUpperCase() : part
}

/** Ranges of letters, whose ends have both cases by now: `aA-zZ` is `a-zA-Z`. */
function withRangesOfBothCases(pattern: string): string {
  return pattern.replace(/([a-z])([A-Z])-([a-z])([A-Z])/g, '$1-$3$2-$4')
}
