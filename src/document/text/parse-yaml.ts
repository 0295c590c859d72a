import type { CST, Document, LineCounter } from 'yaml'
import { Composer, Lexer, Parser, YAMLParseError } from 'yaml'
import { MAX_DEPTH } from './nesting-depth.ts'

/** The stack of the YAML parser holds the document, the open maps and lists, and a scalar. */
const MAX_STACK = MAX_DEPTH + 2

/** Thrown at the offset from which a text is nested too deeply. */
export class NestingTooDeepError extends Error {
  override readonly name = 'NestingTooDeep'
  readonly offset: number

  constructor(offset: number) {
    super(`The text is nested too deeply at ${offset}`)
    this.offset = offset
  }
}

/**
 * Like `parseDocument` of `yaml`, but throws `NestingTooDeepError` as soon as the text is nested too deeply. `parseDocument` reads
 * such a text to its end before it fails.
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
    if (parser.stack.length > MAX_STACK) throw new NestingTooDeepError(parser.offset)
  }
  yield* parser.end()
}
