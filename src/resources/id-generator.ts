import type { Schema } from '../contract/contract.ts'
import { propertiesOf } from '../contract/schema.ts'
import { Random } from '../generate/random.ts'
import type { Id, RecordTable, StoredRecord } from '../records/record-table.ts'
import { largeInteger } from '../validation/large-integers.ts'
import { getOwn } from '../validation/objects.ts'
import { invalidProperty } from './invalid-record-error.ts'

/** The id in the values of a record; `undefined` when they have none. */
export function idOf(values: Readonly<Record<string, unknown>>, name: string): Id | undefined {
  const id = getOwn(values, name)
  return typeof id === 'number' || typeof id === 'string' ? id : undefined
}

/** An id, and the state of the generator after it. */
export interface GeneratedId {
  readonly id: Id
  readonly state: number
}

/**
 * Generates the ids of new records: the same ids for the same seed. It keeps no state; the caller passes it in. After the last
 * id it starts over, with ids that may be in use.
 */
export interface IdGenerator {
  /** The state before the first id. */
  readonly start: number
  /** How many different ids there are; default: more than anyone needs. */
  readonly size?: number
  /** The next id. */
  next(state: number): GeneratedId
  /** The state after a record was created with an id of its own. */
  stateAfter(state: number, id: Id): number
}

/** How many ids are tried before a collection counts as full. */
const MAX_TRIES = 10_000

/** How many ids of a generator are tried to find one that is not in use. */
export function triesOf({ size = MAX_TRIES }: IdGenerator): number {
  return Math.min(size, MAX_TRIES)
}

/** A generator of ids for a schema; `undefined` when ids for it cannot be generated. */
export function createIdGenerator(schema: Schema, seed: number): IdGenerator | undefined {
  const types = [schema.type].flat()
  if (types.includes('integer') || types.includes('number')) return counter((count) => count)
  if (!types.includes('string') || schema.pattern !== undefined) return undefined
  if (schema.format === 'uuid') return uuids(seed)
  const toText = padded(schema)
  if (schema.format === undefined) return counter(toText)
  const isEmail = schema.format === 'email' && (schema.maxLength ?? 99) > 30

  return isEmail ? counter((count) => `${toText(count)}@example.com`) : undefined
}

function counter(toId: (count: number) => Id): IdGenerator {
  return {
    start: 0,
    next: (last) => {
      const count = last < Number.MAX_SAFE_INTEGER ? last + 1 : 1
      return { id: toId(count), state: count }
    },
    stateAfter: (last, id) => {
      const count = Number(String(id).replace('@example.com', ''))
      return Number.isSafeInteger(count) ? Math.max(last, count) : last
    },
  }
}

/** A count with leading zeros, so that string ids sort in the order of their creation. */
function padded({ minLength = 0, maxLength = 9 }: Schema): (count: number) => Id {
  const width = Math.max(minLength, Math.min(6, maxLength))
  return (count) => String(count).padStart(width, '0')
}

function uuids(seed: number): IdGenerator {
  return {
    start: new Random(seed).state,
    next: (state) => {
      const random = new Random(state)
      const digit = (): string => Math.floor(random.next() * 16).toString(16)
      const id = 'xxxxxxxx-xxxx-4xxx-8xxx-xxxxxxxxxxxx'.replace(/x/g, digit)
      return { id, state: random.state }
    },
    stateAfter: (state) => state,
  }
}

/** What the id of a new record depends on. */
interface IdContext {
  /** The property with the id. */
  readonly name: string
  readonly table: RecordTable
  readonly ids: IdGenerator
  /** The state of the generator. */
  readonly from: number
  /** The record in whose place the new one comes. */
  readonly before?: StoredRecord | undefined
}

/**
 * The id of a new record: that of its values, or the next one that is not in use. Rejects with an InvalidRecordError for an id that is
 * in use by another record than `before`, or not exact.
 */
export async function idFor(
  values: StoredRecord,
  { name, table, ids, from, before }: IdContext,
): Promise<GeneratedId> {
  const given = idOf(values, name)
  if (given !== undefined) {
    if (Number.isInteger(given) && !Number.isSafeInteger(given)) {
      throw invalidProperty(name, `${given} is not exact`)
    }
    const found = table.get(given)
    if ((found instanceof Promise ? await found : found) !== before)
      throw invalidProperty(name, `${given} is taken`)
    return { id: given, state: ids.stateAfter(from, given) }
  }
  let generated = ids.next(from)
  for (let left = triesOf(ids); left > 0; left -= 1) {
    const taken = table.isTaken(generated.id)
    if (!(taken instanceof Promise ? await taken : taken)) return generated
    generated = ids.next(generated.state)
  }
  throw invalidProperty(name, 'has no further values')
}

/** An id in a path as records have it: a number if theirs are numbers. */
export function typedId(
  text: string,
  {
    id,
    idSchema,
    schema,
  }: { readonly id: string; readonly idSchema: Schema; readonly schema: Schema },
): Id {
  const type = propertiesOf(schema).get(id)?.type ?? idSchema.type
  if (!isNumeric(type)) return text
  return String(Number(text)) === text ? Number(text) : (largeInteger(text) ?? text)
}

function isNumeric(type: Schema['type']): boolean {
  if (typeof type === 'object') return type.includes('integer') || type.includes('number')
  return type === 'integer' || type === 'number'
}
