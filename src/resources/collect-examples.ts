import type { MediaType, Operation, Parameter } from '../contract/contract.ts'
import { contentOf } from '../contract/documented-response.ts'
import type { OperationHints } from '../contract/hints.ts'
import { parsePointer } from '../contract/schema.ts'
import type { Id, StoredRecord } from '../records/record-table.ts'
import { getOwn, isObject } from '../validation/objects.ts'
import { idOf } from './id-generator.ts'

/** An operation on the records of a resource. */
export interface ResourceOperation {
  readonly operation: Operation
  readonly hints: OperationHints
}

/** A record in the examples of the document. */
export interface ExampleRecord {
  readonly id: Id
  /** Its properties by several examples, those of one record first. Only the id, when the document names no more. */
  readonly values: readonly StoredRecord[]
}

/** Which properties and parameters contain the id. */
interface IdPlaces {
  /** The property of a record. */
  readonly id: string
  /** The parameter at the end of the path of a record. */
  readonly idParameter?: string
  /** The id of the only record. */
  readonly singleId?: Id
}

/** More examples of one resource are not read. */
const MAX_EXAMPLES = 100

/** The actions whose responses contain records, those that show most of a record first. */
const ACTIONS: readonly OperationHints['action'][] = [
  ...(['read', 'create', 'replace', 'update', 'list', 'act'] as const),
]

/** The records in the examples of the operations of a resource, each once, by its id. Those that paths name are the first. */
export function collectExamples(
  operations: readonly ResourceOperation[],
  places: IdPlaces,
): readonly ExampleRecord[] {
  const found = new Map<Id, StoredRecord[]>()
  const named = operations.flatMap(({ operation }) => namedIds(operation, places))
  for (const id of named) found.set(id, [])
  const shown = ACTIONS.flatMap((action) =>
    operations.filter(({ hints }) => hints.action === action),
  ).flatMap((operation) => shownRecords(operation, places, named[0]))
  for (const { id, values } of shown) {
    const known = found.get(id) ?? []
    if (found.has(id) || found.size < MAX_EXAMPLES) {
      found.set(id, [...known, values])
    }
  }
  return [...found].map(([id, values]) => ({ id, values }))
}

/** The records that the examples of an operation show. Those without an id have the one that the path names. */
function shownRecords(
  { operation, hints }: ResourceOperation,
  places: IdPlaces,
  named: Id | undefined,
): readonly { readonly id: Id; readonly values: StoredRecord }[] {
  return examplesIn(operation, hints).flatMap((example) => {
    const values = withOwnNames(example, hints)
    const own = places.singleId ?? idOf(values, hints.id ?? places.id)
    const id = own ?? (hints.action === 'list' ? undefined : named)

    return id === undefined ? [] : [{ id, values }]
  })
}

/** The ids that the document names for the parameter at the end of a path, as an example for instance. */
function namedIds(operation: Operation, { idParameter }: IdPlaces): readonly Id[] {
  const parameter = operation.parameters.find(
    (one) => one.in === 'path' && one.name === idParameter,
  )
  return parameter ? namedValues(parameter).filter(isId) : []
}

/** The values that the document names for a parameter. Those of an enum are no examples: there is no reason to prefer one. */
function namedValues({ example, schema }: Parameter): readonly unknown[] {
  const { examples } = schema
  const named = [
    ...[example, schema.example, ...(Array.isArray(examples) ? examples : [])],
    ...[schema.default, schema.const],
  ]
  return [...new Set(named.filter((one) => one !== undefined && one !== ''))]
}

function isId(value: unknown): value is Id {
  return typeof value === 'string' || Number.isSafeInteger(value)
}

/** The records in the examples of the successful responses of an operation. */
function examplesIn(operation: Operation, { record }: OperationHints): readonly StoredRecord[] {
  if (record === undefined) return []
  const responses = operation.responses.filter(({ status }) => status >= 200 && status < 300)

  return responses
    .flatMap(contentOf)
    .filter(({ isSequence }) => !isSequence)
    .flatMap(exampleValues)
    .flatMap((body) => valueAt(body, record))
    .filter(isObject)
}

/** The examples of some content. A text is what is sent. */
function exampleValues({ examples = [] }: MediaType): readonly unknown[] {
  return examples.slice(0, MAX_EXAMPLES).map(({ value }) => {
    if (typeof value !== 'string') return value
    try {
      return JSON.parse(value)
    } catch {
      return undefined
    }
  })
}

function valueAt(body: unknown, pointer: string): unknown {
  return parsePointer(pointer).reduce<unknown>((value, key) => {
    if (Array.isArray(value)) return value[Number(key)]
    return isObject(value) ? getOwn(value, key) : undefined
  }, body)
}

/** The properties by their names in the record, where a response calls them otherwise. */
function withOwnNames(example: StoredRecord, { views = {} }: OperationHints): StoredRecord {
  return Object.fromEntries(
    Object.entries(example).map(([name, value]) => [getOwn(views, name) ?? name, value]),
  )
}

/** The values of the parameters of a path by the concrete path. */
export function parametersIn(path: string, concrete: string): Readonly<Record<string, string>> {
  const values = concrete.split('/')
  const names = path.split('/').slice(1)
  const pairs = names.map((name, at) => [/^\{(.+)\}$/.exec(name)?.[1], values[at] ?? ''] as const)
  return Object.fromEntries(
    pairs.flatMap(([name, value]) => (name ? [[name, decodeURIComponent(value)]] : [])),
  )
}
