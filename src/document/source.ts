import type { Alias, Document, Node as YamlNode } from 'yaml'
import { isMap, isScalar, isSeq, LineCounter, parseDocument, visit } from 'yaml'
import { type Mistake, Mistakes, refuse } from './mistake.ts'
import type { Path } from './node.ts'
import { syntaxMistakes } from './syntax.ts'

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

const CONTRACT_ALIASES: AliasAdvice = {
  circle: 'Use $ref for a schema that contains itself.',
  excess: 'Use $ref instead of *aliases.',
}

/** Parses a file, whose value is `null` when it holds nothing; throws `Mistakes` when it is not YAML or JSON. */
export function parseSource(
  name: string,
  url: URL,
  text: string,
  aliases: AliasAdvice = CONTRACT_ALIASES,
): Source {
  const lines = new LineCounter()
  const at = (offset: number): string => {
    const { line, col } = lines.linePos(offset)
    return `${name}:${line}:${col}`
  }

  try {
    const options = { lineCounter: lines, merge: true, prettyErrors: false } as const
    const document = parseDocument(text, options)
    refuse(syntaxMistakes(document.errors, text, name.endsWith('.json'), at))
    refuse(aliasMistakes(document, aliases.circle, at))
    const value: unknown = document.toJS({ maxAliasCount: MOST_ALIASES })

    return { name, url, value, place: (path, part) => at(offsetOf(document, path, part)) }
  } catch (error) {
    throw error instanceof Mistakes ? error : excess(error, name, aliases.excess)
  }
}

function excess(error: unknown, place: string, advice: string): unknown {
  if (error instanceof RangeError) {
    return new Mistakes([{ why: 'it is nested too deeply', place, advice: 'Flatten it.' }])
  }
  if (error instanceof ReferenceError) {
    const why = `its aliases stand for more than ${MOST_ALIASES} copies of one value`
    return new Mistakes([{ why, place, advice }])
  }
  return error
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
