import type { Operation, Schema } from '../contract/contract.ts'
import type { Action } from '../contract/hints.ts'
import { escapeKey, itemsOf, plainName, propertiesOf, typesIn } from '../contract/schema.ts'
import { isSameWord } from './id-property.ts'
import { shapeOf } from './path-shape.ts'
import type { RecordContext } from './record-place.ts'

// Operations that are about several records, or about one that their path does not name.

/** A path that is about several records of the collection above it: `/books` and `create` of `/books/bulk`. */
export interface BulkPath {
  readonly path: string
  readonly action: Action
}

interface BulkRule {
  readonly words: RegExp
  readonly methods: RegExp
  readonly action: Action
}

const MANY = '_?(?:bulk|batch|many|multiple)'

const BULK_RULES: readonly BulkRule[] = [
  { words: named('delete|remove|destroy'), methods: /^(POST|PUT|DELETE)$/, action: 'remove' },
  { words: named('update|edit|modify'), methods: /^(POST|PUT|PATCH)$/, action: 'update' },
  { words: named('create|insert|add|upsert|save'), methods: /^(POST|PUT)$/, action: 'create' },
  { words: /^(upsert|import)$/i, methods: /^(POST|PUT)$/, action: 'create' },
  { words: new RegExp(`^${MANY}$`, 'i'), methods: /^POST$/, action: 'create' },
  { words: new RegExp(`^${MANY}$`, 'i'), methods: /^(PUT|PATCH)$/, action: 'update' },
  { words: new RegExp(`^${MANY}$`, 'i'), methods: /^DELETE$/, action: 'remove' },
]

/** `bulk_delete`, `delete-many` and the like. */
function named(verbs: string): RegExp {
  return new RegExp(`^(${MANY}[-_]?(${verbs})|(${verbs})[-_]?${MANY})$`, 'i')
}

/** What an operation does to several records of the collection above its path; `undefined` when no word at its end says so. */
export function bulkPathOf({ method, path: template }: Operation): BulkPath | undefined {
  const { path } = shapeOf(template)
  const at = path.lastIndexOf('/')
  const rule = BULK_RULES.find(
    ({ words, methods }) => words.test(path.slice(at + 1)) && methods.test(method),
  )
  return rule && at > 0 ? { path: path.slice(0, at), action: rule.action } : undefined
}

/** Whether a path says that the records which exist are changed, and the others are added. */
export function isUpsert(path: string): boolean {
  return /[^/]*upsert[^/]*$/i.test(path)
}

/** What names the records of a collection in requests. */
export interface NamedRecords {
  /** The property with the id. */
  readonly id: string
  readonly context: Pick<RecordContext, 'word' | 'parameter'>
}

/** Where the records of a request have their id: `/books/isbn` of a record or a list of them at `/books`; `undefined` when they have none. */
export function sentIdPlace(
  place: string,
  record: Schema,
  { id, context: { parameter } }: NamedRecords,
): string | undefined {
  const names = [...propertiesOf(record)].flatMap(([name, { readOnly }]) =>
    readOnly === true || KIND.test(name) ? [] : name,
  )
  const found =
    names.find((name) => name === id) ??
    names.find((name) => parameter !== undefined && plainName(name) === plainName(parameter))

  return found === undefined ? undefined : `${place}/${escapeKey(found)}`
}

/** What says of which kind a record is, and not which one it is. */
const KIND = /^(type|kind)$/i

/** Whether a request has more of a record than what says which one it is. */
export function hasValues(record: Schema): boolean {
  const names = [...propertiesOf(record).keys()].filter((name) => !KIND.test(name))
  return names.length > 1
}

/** The query parameter or the property of the body that contains the ids of records, or of one. */
export function idsPlace(
  { parameters, body }: Operation,
  records: NamedRecords,
): string | undefined {
  const inQuery = parameters.find(
    (one) => one.in === 'query' && isIds(one.name, one.schema, records),
  )
  if (inQuery) return inQuery.name
  const properties = [...propertiesOf(body?.schema ?? {})]
  const [name] = properties.find(([one, schema]) => isIds(one, schema, records)) ?? []

  return name === undefined ? undefined : `/${escapeKey(name)}`
}

const ID_WORD = /(id|uuid|key)s?$/

/** Whether a value is called the id of the records, or a list of ids. */
function isIds(name: string, schema: Schema, { id, context }: NamedRecords): boolean {
  const types = typesIn(itemsOf(schema) ?? schema)
  if (types.has('object') || types.has('boolean')) return false
  const plain = plainName(name)
  const names = [id, context.parameter ?? id].map(plainName)
  if (names.some((one) => plain === one || plain === `${one}s`)) return true
  if (!ID_WORD.test(plain)) return false
  const word = plain.replace(ID_WORD, '')

  return word === '' || isSameWord(word, context.word)
}
