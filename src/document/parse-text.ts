import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { CORE_SCHEMA, load, mergeTag, parseEvents, YAMLException } from 'js-yaml'
import { LineCounter } from 'yaml'
import {
  aliasMistakes,
  findTooDeep,
  MAX_DEPTH,
  NestingTooDeepError,
  parseYaml,
  syntaxMistakes,
  tooDeep,
} from './explain-yaml.ts'
import { type Mistake, Mistakes, throwMistakes } from './mistake.ts'
import {
  findDuplicateKeys,
  findOffsets,
  isJsonText,
  lineAndColumn,
  lineStarts,
} from './positions.ts'
import type { Source } from './source.ts'

/** The number of values that a text with aliases may expand to: nine lines of aliases can expand to billions. */
const MAX_EXPANDED = 10_000_000

/** How many keys `<<` may copy: a few lines can ask for millions. */
const MAX_MERGED = 1_000_000

/** What to do about an alias inside its own anchor, and about too many aliases. */
export type AliasHelp = Readonly<Record<'cycle' | 'excess', string>>

const WITH_REFS: AliasHelp = {
  cycle: 'Use $ref for a schema that contains itself.',
  excess: 'Use $ref instead of *aliases.',
}

/** For files that do not support `$ref`. */
const WITHOUT_REFS: AliasHelp = {
  cycle: 'Write a value instead of the alias.',
  excess: 'Write values instead of some of the aliases.',
}

/** `<<` merges mappings, as in YAML 1.1, because real documents use it. Dates stay text. */
const SCHEMA = CORE_SCHEMA.withTags(mergeTag)

/**
 * Parses a JSON or YAML text; `null` when it is empty. Of duplicate keys, the last one counts. Throws `Mistakes` when the text
 * is neither, or nested too deeply, or when its aliases expand to too many values.
 */
function parseDocumentText(name: string, text: string, help: AliasHelp): unknown {
  const value = parseJson(text) ?? parseAsYaml(name, text, help)
  const deepest = findTooDeep(value)
  if (deepest) {
    const [offset = 0] = findOffsets(text, [{ pointer: deepest }])
    throw new Mistakes([tooDeep(`${name}:${lineAndColumn(lineStarts(text), offset)}`)])
  }
  return value
}

/** The value of a JSON text, which `JSON.parse` reads ten times as fast; `undefined` for any other text. */
function parseJson(text: string): unknown {
  if (!isJsonText(text)) return undefined
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch {
    return undefined
  }
}

function parseAsYaml(name: string, text: string, help: AliasHelp): unknown {
  const options = {
    schema: SCHEMA,
    json: true,
    // Aliases make a value deeper than its text, so the depth of the value is checked instead.
    maxDepth: 2 * MAX_DEPTH,
    maxAliases: -1,
    maxTotalMergeKeys: MAX_MERGED,
  }
  try {
    const value = load(text, options) ?? null
    if (expandedSize(value) <= MAX_EXPANDED) return value
  } catch (error) {
    if (error instanceof YAMLException && !error.mark && isEmpty(text)) return null
    explain(name, text, help)
    throw asMistakes(error, name, text, help)
  }
  explain(name, text, help)
  const reason = `its aliases expand to more than ${MAX_EXPANDED.toLocaleString('en')} values`
  throw new Mistakes([{ reason, location: name, help: help.excess }])
}

/** Whether a YAML text has no value, only white space, comments and document markers. */
function isEmpty(text: string): boolean {
  return /^(\uFEFF|\s+|#.*|---|\.\.\.)*$/.test(text)
}

/** How many values a value contains. An alias is the same object again, and counts each time; inside itself, it is infinite. */
function expandedSize(value: unknown, sizes: Map<unknown, number> = new Map()): number {
  if (typeof value !== 'object' || value === null) return 1
  const known = sizes.get(value)
  if (known !== undefined) return known
  sizes.set(value, Number.POSITIVE_INFINITY)
  let size = 1
  for (const inner of Object.values(value)) size += expandedSize(inner, sizes)
  sizes.set(value, size)

  return size
}

/** Explaining the mistakes of longer texts would take too much time and memory. */
const MAX_EXPLAINED = 5_000_000

/** Throws the mistakes that the `yaml` package finds: it explains them far better, and parses ten times as slowly. */
function explain(name: string, text: string, help: AliasHelp): void {
  if (text.length > MAX_EXPLAINED) return
  const lines = new LineCounter()
  const locate = (offset: number): string => {
    const { line, col } = lines.linePos(offset)
    return `${name}:${line}:${col}`
  }
  try {
    const document = parseYaml(text, lines)
    throwMistakes(syntaxMistakes(document, text, name.endsWith('.json'), locate))
    throwMistakes(aliasMistakes(document, help.cycle, locate))
  } catch (error) {
    if (error instanceof NestingTooDeepError) throw new Mistakes([tooDeep(locate(error.offset))])
    throw error
  }
}

/** Whether a text that could not be parsed is correct, except that it is nested too deeply. */
function isOnlyTooDeep(text: string): boolean {
  return !isCorrect(text, 2 * MAX_DEPTH) && isCorrect(text, Number.MAX_SAFE_INTEGER)
}

/** Whether the syntax of a text is correct. Its tags may be unknown. */
function isCorrect(text: string, maxDepth: number): boolean {
  try {
    parseEvents(text, { maxDepth })
    return true
  } catch (error) {
    return error instanceof RangeError
  }
}

/** Turns the errors of the parser into mistakes; other errors stay as they are. */
function asMistakes(error: unknown, name: string, text: string, help: AliasHelp): unknown {
  if (error instanceof RangeError) return new Mistakes([tooDeep(name)])
  if (!(error instanceof YAMLException)) return error
  const { mark, reason } = error
  const location = mark ? `${name}:${mark.line + 1}:${mark.column + 1}` : name
  // The parser has no code for this error.
  if (reason.includes('maxTotalMergeKeys')) {
    const most = MAX_MERGED.toLocaleString('en')
    return new Mistakes([
      { reason: `its merges (<<) copy more than ${most} keys`, location, help: help.excess },
    ])
  }
  if (isOnlyTooDeep(text)) return new Mistakes([tooDeep(location)])
  return new Mistakes([
    { reason: `the YAML is invalid: ${reason}`, location, help: 'Correct the line.' },
  ])
}

/** Parses a file. Its value is `null` when the file is empty. Throws `Mistakes` when it is not YAML or JSON. */
export function parseSource(
  name: string,
  url: URL,
  text: string,
  help: AliasHelp = WITH_REFS,
): Source {
  return createSource(name, url, parseDocumentText(name, text, help), kept(text))
}

/** A source whose value stands in for that of its text, as after a conversion. Its locations are those in the text. */
function createSource(name: string, url: URL, value: unknown, readText: () => string): Source {
  const locateAll: Source['locateAll'] = (wanted) => {
    const text = readText()
    const lines = lineStarts(text)
    return findOffsets(text, wanted).map((offset) => `${name}:${lineAndColumn(lines, offset)}`)
  }

  return {
    name,
    url,
    value,
    readText,
    locateAll,
    locate: (pointer, part) => locateAll([{ pointer, part }])[0] ?? name,
  }
}

/** Longer texts are compressed: 20 MB, or 40 MB with a character outside of Latin-1, become 2 MB in 60 ms. */
const LONG_TEXT = 1_000_000

function kept(text: string): () => string {
  return text.length < LONG_TEXT ? () => text : inflated(deflateRawSync(text, { level: 1 }))
}

/** A closure of its own: V8 keeps all variables that some closure of the same function uses. */
function inflated(compressed: Uint8Array): () => string {
  return () => inflateRawSync(compressed).toString()
}

/**
 * Parses a file of settings. Unlike in a document, a duplicate key is a mistake that it must not have. Throws `Mistakes`; `onDuplicates` gets
 * those about keys, in order to go on with the last of them.
 */
export function parseSettings(
  name: string,
  url: URL,
  text: string,
  onDuplicates: (mistakes: readonly Mistake[]) => void = throwMistakes,
): Source {
  const source = parseSource(name, url, text, WITHOUT_REFS)
  onDuplicates(findDuplicateKeys(source).map(({ assumed: _, ...mistake }) => mistake))

  return source
}
