import type { Alias, Document, YAMLError, Node as YamlNode } from 'yaml'
import { isMap, isScalar, isSeq, LineCounter, visit } from 'yaml'
import { deepPlace, tooDeep } from './depth.ts'
import { type Mistake, Mistakes, refuse } from './mistake.ts'
import type { Path } from './node.ts'
import { parseYaml, TooDeep } from './parse-yaml.ts'

/** A YAML or JSON file, parsed, that knows where each of its values stands. */
export interface Source {
  /** As the developer would type it. */
  readonly name: string
  readonly url: URL
  readonly value: unknown
  /**
   * `file:line:column` of a value or of its key; of the nearest value around it when it is absent.
   */
  place(path: Path, part?: 'key' | 'value'): string
}

/**
 * More is taken for an attempt to exhaust memory: nine lines of aliases can stand for billions of
 * values.
 */
const MOST_ALIASES = 1000

/** What to do about an alias that stands inside its own anchor, and about too many of them. */
export type AliasAdvice = Readonly<Record<'circle' | 'excess', string>>

const WITH_REFS: AliasAdvice = {
  circle: 'Use $ref for a schema that contains itself.',
  excess: 'Use $ref instead of *aliases.',
}

/** For files in which a `$ref` means nothing. */
export const WITHOUT_REFS: AliasAdvice = {
  circle: 'Write the value out.',
  excess: 'Write some of the values out.',
}

/** Parses a file, whose value is `null` when it holds nothing; throws `Mistakes` when it is not YAML or JSON. */
export function parseSource(
  name: string,
  url: URL,
  text: string,
  advice: AliasAdvice = WITH_REFS,
): Source {
  const lines = new LineCounter()
  const at = (offset: number): string => {
    const { line, col } = lines.linePos(offset)
    return `${name}:${line}:${col}`
  }

  try {
    const document = parseYaml(text, lines)
    refuse(syntaxMistakes(document.errors, text, name.endsWith('.json'), at))
    refuse(aliasMistakes(document, advice.circle, at))
    const value: unknown = document.toJS({ maxAliasCount: MOST_ALIASES })
    const deep = deepPlace(value)
    if (deep) refuse([tooDeep(at(offsetOf(document, deep)))])

    return { name, url, value, place: (path, part) => at(offsetOf(document, path, part)) }
  } catch (error) {
    if (error instanceof TooDeep) throw new Mistakes([tooDeep(at(error.offset))])
    throw asMistakes(error, name, advice.excess)
  }
}

type Words = readonly [why: string, advice: string]

const WORDS: Readonly<Record<string, Words>> = {
  TAB_AS_INDENT: ['a tab is used as indentation', 'Indent with spaces.'],
  BAD_INDENT: ['the indentation does not fit', 'Align it with its neighbours.'],
  BLOCK_AS_IMPLICIT_KEY: ['the value holds a second ": "', 'Put the value in quotes.'],
  MULTILINE_IMPLICIT_KEY: ['the line has no ": "', 'Add it, or put the text above in quotes.'],
  BAD_SCALAR_START: ['the value starts with a reserved character', 'Put the value in quotes.'],
  MULTIPLE_DOCS: ['a second document starts here', 'Keep one document in a file.'],
  MISSING_CHAR: ['a quote, bracket or comma is missing', 'Add it.'],
}

/**
 * The first syntax error, since those after it mostly follow from it; else each key that is given
 * twice.
 */
function syntaxMistakes(
  errors: readonly YAMLError[],
  text: string,
  isJson: boolean,
  at: (offset: number) => string,
): Mistake[] {
  const first = errors.find(({ code }) => code !== 'DUPLICATE_KEY')
  if (first) {
    const place = at(first.pos[0])
    // The parser ran out of stack, far beyond the limit.
    if (first.code === 'RESOURCE_EXHAUSTION') return [tooDeep(place)]
    const [why, advice] = isJson ? JSON_WORDS : (WORDS[first.code] ?? plain(first))
    return [{ why, place, advice }]
  }

  return errors.map(({ pos }) => ({
    why: `the key ${keyAt(text, pos[0])} is given twice`,
    place: at(pos[0]),
    advice: 'Remove one of the two.',
  }))
}

const JSON_WORDS: Words = [
  'it is not valid JSON from here on',
  'Look for a missing comma, quote or bracket.',
]

function plain({ message }: YAMLError): Words {
  return [
    `it is not valid YAML: ${message.charAt(0).toLowerCase()}${message.slice(1)}`,
    'Correct the line.',
  ]
}

function keyAt(text: string, offset: number): string {
  const [key = ''] = /^("[^"\n]*"|'[^'\n]*'|[^:\n]*)/.exec(text.slice(offset, offset + 80)) ?? []

  return key.replace(/^(["'])(.*)\1$/, '$2').replace(/^.*$/, '"$&"')
}

function aliasMistakes(
  document: Document.Parsed,
  ofCircle: string,
  at: (offset: number) => string,
): Mistake[] {
  const anchors = new Map<string, unknown>()
  const mistakes: Mistake[] = []

  visit(document, {
    Node: (_key, node) => {
      if ('anchor' in node && node.anchor) anchors.set(node.anchor, node)
    },
    Alias: (_key, alias: Alias, ancestors) => {
      const target = anchors.get(alias.source)
      const place = at(alias.range?.[0] ?? 0)
      const advice = `Write &${alias.source} before a value above it.`
      if (!target) mistakes.push({ why: `the alias *${alias.source} has no anchor`, place, advice })
      if (ancestors.some((ancestor) => ancestor === target)) {
        const why = `the alias *${alias.source} stands inside its own anchor`
        mistakes.push({ why, place, advice: ofCircle })
      }
    },
  })

  return mistakes
}

/** What the parser throws of a text that asks too much of it; any other error as it is. */
function asMistakes(error: unknown, place: string, advice: string): unknown {
  if (error instanceof RangeError) {
    return new Mistakes([tooDeep(place)])
  }
  if (error instanceof ReferenceError) {
    const why = `its aliases stand for more than ${MOST_ALIASES} copies of one value`
    return new Mistakes([{ why, place, advice }])
  }
  return error
}

function offsetOf(document: Document.Parsed, path: Path, part: 'key' | 'value' = 'value'): number {
  let node: unknown = document.contents
  let offset = startOf(document.contents) ?? 0

  for (const [index, key] of path.entries()) {
    const child = step(node, key)
    if (!child) break
    const wantsKey = part === 'key' && index === path.length - 1
    offset = startOf(wantsKey ? child.key : child.value) ?? startOf(child.key) ?? offset
    node = child.value
  }

  return offset
}

function step(node: unknown, key: string): { key?: unknown; value: unknown } | undefined {
  if (isSeq(node)) return key in node.items ? { value: node.items[Number(key)] } : undefined
  if (isMap(node))
    return node.items.find((pair) => isScalar(pair.key) && String(pair.key.value) === key)

  return undefined
}

function startOf(node: unknown): number | undefined {
  const { range } = (node ?? {}) as Partial<YamlNode>

  return range?.[0]
}
