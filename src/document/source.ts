import type { Document, Node as YamlNode } from 'yaml'
import { isMap, isScalar, isSeq, LineCounter } from 'yaml'
import type { Pointer } from './json-pointer.ts'
import { Mistakes, throwMistakes } from './mistake.ts'
import { findTooDeep, tooDeep } from './nesting-depth.ts'
import { NestingTooDeepError, parseYaml } from './parse-yaml.ts'
import { aliasMistakes, syntaxMistakes } from './yaml-mistakes.ts'

/** A parsed YAML or JSON file that knows the location of each of its values. */
export interface Source {
  /** The name of the file as the developer typed it. */
  readonly name: string
  readonly url: URL
  readonly value: unknown
  /** `file:line:column` of a value or of its key; of the nearest ancestor when the value does not exist. */
  locate(pointer: Pointer, part?: 'key' | 'value'): string
}

/** More aliases look like an attempt to exhaust memory: nine lines of aliases can expand to billions of values. */
const MAX_ALIASES = 1000

/** What to do about an alias inside its own anchor, and about too many aliases. */
export type AliasHelp = Readonly<Record<'cycle' | 'excess', string>>

const WITH_REFS: AliasHelp = {
  cycle: 'Use $ref for a schema that contains itself.',
  excess: 'Use $ref instead of *aliases.',
}

/** For files that do not support `$ref`. */
export const WITHOUT_REFS: AliasHelp = {
  cycle: 'Write a value instead of the alias.',
  excess: 'Write values instead of some of the aliases.',
}

/** Parses a file. Its value is `null` when the file is empty. Throws `Mistakes` when it is not YAML or JSON. */
export function parseSource(
  name: string,
  url: URL,
  text: string,
  help: AliasHelp = WITH_REFS,
): Source {
  const lines = new LineCounter()
  const locationAt = (offset: number): string => {
    const { line, col } = lines.linePos(offset)
    return `${name}:${line}:${col}`
  }

  try {
    const document = parseYaml(text, lines)
    throwMistakes(syntaxMistakes(document, text, name.endsWith('.json'), locationAt))
    throwMistakes(aliasMistakes(document, help.cycle, locationAt))
    const value: unknown = document.toJS({ maxAliasCount: MAX_ALIASES })
    const deepest = findTooDeep(value)
    if (deepest) throwMistakes([tooDeep(locationAt(offsetOf(document, deepest)))])
    const locate: Source['locate'] = (pointer, part) =>
      locationAt(offsetOf(document, pointer, part))

    return { name, url, value, locate }
  } catch (error) {
    if (error instanceof NestingTooDeepError)
      throw new Mistakes([tooDeep(locationAt(error.offset))])
    throw asMistakes(error, name, help.excess)
  }
}

/** Turns the errors with which the parser rejects a file that is too large; other errors stay as they are. */
function asMistakes(error: unknown, location: string, help: string): unknown {
  if (error instanceof RangeError) {
    return new Mistakes([tooDeep(location)])
  }
  if (error instanceof ReferenceError) {
    const reason = `its aliases expand to more than ${MAX_ALIASES} copies of one value`
    return new Mistakes([{ reason, location, help }])
  }
  return error
}

function offsetOf(
  document: Document.Parsed,
  pointer: Pointer,
  part: 'key' | 'value' = 'value',
): number {
  let node: unknown = document.contents
  let offset = startOf(document.contents) ?? 0

  for (const [index, key] of pointer.entries()) {
    const child = childNode(node, key)
    if (!child) break
    const wantsKey = part === 'key' && index === pointer.length - 1
    offset = startOf(wantsKey ? child.key : child.value) ?? startOf(child.key) ?? offset
    node = child.value
  }

  return offset
}

function childNode(node: unknown, key: string): { key?: unknown; value: unknown } | undefined {
  if (isSeq(node)) return key in node.items ? { value: node.items[Number(key)] } : undefined
  if (isMap(node))
    return node.items.find((pair) => isScalar(pair.key) && String(pair.key.value) === key)

  return undefined
}

function startOf(node: unknown): number | undefined {
  const { range } = (node ?? {}) as Partial<YamlNode>

  return range?.[0]
}
