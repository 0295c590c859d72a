import type { CST, Document, LineCounter } from 'yaml'
import { Composer, Lexer, Parser, YAMLParseError } from 'yaml'
import { DEEPEST } from './depth.ts'

/** The stack of YAML's parser holds the document, the maps and lists around the current token, and a scalar. */
const LARGEST_STACK = DEEPEST + 2

/** Thrown at the place from which on a text is nested too deeply. */
export class TooDeep extends Error {
  override readonly name = 'TooDeep'
  readonly offset: number

  constructor(offset: number) {
    super(`The text is nested too deeply at ${offset}`)
    this.offset = offset
  }
}

/**
 * Does what `parseDocument` of `yaml` does, but throws `TooDeep` as soon as the text is nested too deeply. `parseDocument`
 * reads such a text to its end before it refuses it.
 */
export function parseYaml(text: string, lines: LineCounter): Document.Parsed {
  const composer = new Composer({ lineCounter: lines, merge: true, prettyErrors: false })
  const [first, second] = composer.compose(tokensOf(text, lines), true, text.length)
  if (!first) throw new TypeError('The composer made no document')
  if (second) {
    const [start, end] = second.range
    first.errors.push(new YAMLParseError([start, end], 'MULTIPLE_DOCS', 'Several documents'))
  }
  return first as Document.Parsed
}

function* tokensOf(text: string, lines: LineCounter): Generator<CST.Token, void> {
  const parser = new Parser(lines.addNewLine)
  lines.addNewLine(0)
  for (const lexeme of new Lexer().lex(text)) {
    yield* parser.next(lexeme)
    if (parser.stack.length > LARGEST_STACK) throw new TooDeep(parser.offset)
  }
  yield* parser.end()
}
