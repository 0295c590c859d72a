import type { ValueLimit } from '../../http/body-limits.ts'
import { invalidBody } from './body-text.ts'
import { type Branches, itemBranches } from './branches.ts'
import { objectNode } from './text-node.ts'
import { type Preference, type Typing, typedValue } from './typed-value.ts'

type Row = readonly string[]

/**
 * The possible values of a CSV text: the records as objects by the names in its first line. A record has only the columns that its
 * line has. Throws a 400 for a text that is not CSV, and a 413 for too many values.
 */
export function* csvMeanings(
  text: string,
  branches: Branches,
  limit: ValueLimit,
): Generator<readonly unknown[]> {
  const [names = [], ...rows] = parseRows(text, limit)
  limit.checkMembers(names.length)
  const table = { names, rows }
  const others = new Set<Preference>()
  yield records(table, branches, { preference: 'type', others, limit: limit.copy() })
  for (const preference of [...others])
    yield records(table, branches, { preference, others, limit: limit.copy() })
}

/** The texts of one line at a time become values, because a line of nodes takes many times the memory of its values. */
function records(
  { names, rows }: { readonly names: Row; readonly rows: readonly Row[] },
  branches: Branches,
  typing: Typing,
): readonly unknown[] {
  return rows.map((row, index) => {
    const pairs = row
      .slice(0, names.length)
      .map((text, column) => [names[column] ?? '', text] as const)
    return typedValue(objectNode(pairs), itemBranches(branches, index), typing)
  })
}

function parseRows(text: string, limit: ValueLimit): readonly Row[] {
  const rows: string[][] = []
  let row: string[] = []
  let at = 0
  while (at < text.length) {
    const field = text[at] === '"' ? quotedField(text, at) : plainField(text, at)
    END_OF_FIELD.lastIndex = field.end
    const [end] = END_OF_FIELD.exec(text) ?? []
    if (end === undefined)
      throw invalidBody(`must be valid CSV: line ${rows.length + 1} has an unexpected quote`)
    at = END_OF_FIELD.lastIndex
    row.push(field.text)
    limit.count(1)
    if (end === ',') continue
    limit.count(1)
    rows.push(row)
    row = []
  }
  return rows
}

/** A field (RFC 4180, section 2), and the position after it. */
interface Field {
  readonly text: string
  readonly end: number
}

/** What follows a field. */
const END_OF_FIELD = /,|\r\n|\n|\r|$/y

function plainField(text: string, start: number): Field {
  SPECIAL.lastIndex = start
  const end = SPECIAL.exec(text)?.index ?? text.length
  return { text: text.slice(start, end), end }
}

const SPECIAL = /[",\r\n]/g

/** A field in quotes, with `""` for a quote. A regular expression would need a stack as deep as the field has quotes. */
function quotedField(text: string, start: number): Field {
  let end = text.indexOf('"', start + 1)
  while (text[end + 1] === '"' && end !== -1) end = text.indexOf('"', end + 2)
  if (end === -1) return { text: '', end: start }
  return { text: text.slice(start + 1, end).replaceAll('""', '"'), end: end + 1 }
}
