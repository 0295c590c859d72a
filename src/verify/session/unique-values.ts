import type { Operation, Schema } from '../../contract/contract.ts'
import { parseJsonText } from '../../contract/json.ts'
import { parsePointer, propertiesOf, schemaAt } from '../../contract/schema.ts'
import type { JsonObject } from '../../document/json-value.ts'
import { generateValue } from '../../generate/generate-value.ts'
import { surelyMatches } from '../../generate/matches.ts'
import { withValueAt } from '../../resources/views/record-body.ts'
import { isObject } from '../../validation/objects.ts'
import type { ProbeRequest, ProbeResponse } from '../messages.ts'
import { plainName, valueAt } from '../record-address.ts'
import { unguessableWord } from '../test-data/unguessable.ts'
import { isDate, keyword, typeOf, withoutNull } from '../test-data/values.ts'
import { isInvalidInput } from './accepted-bodies.ts'

/** A range of fewer integers has too few for a new one in each record. */
const LEAST_RANGE = 10_000

/** Names of properties that refer to other records, or to times: a service may refuse any others. */
const NOT_OWN = /(^|[^a-z])(id|ids|at|on|date|time)$|[a-z](Ids?|ID|At|On|Date|Time)$/

/** Properties that get a new value in each record. */
interface Kind {
  /** `depth`: 1 for a property of the record, more for one inside of an object. */
  readonly isNew: (name: string, schema: Schema, depth: number) => boolean
  readonly renew: (schema: Schema, old: unknown, next: Next) => unknown
}

/** What the next record gets. */
interface Next {
  readonly move: Move
  /** How many records got values of their own before. */
  readonly count: number
  /** The texts that records got before. */
  readonly used: Set<string>
}

/** Names of small numbers that records below one parent have only once, such as the number of a track. */
const NUMBER =
  /(^|_|[a-z])(number|no|nr|position|index|rank|order|sequence|row|seat|chapter|round)$|[a-z](Number|No|Position|Index|Rank|Order|Row|Seat)$/

/** Moves a date, the dates of one record by the same time. */
type Move = (date: string, schema: Schema) => string

/**
 * What may have to be unique, the most likely first: texts of a form, such as `AB-123456`, then other texts and numbers, then those inside
 * of an object, such as an address, then numbers of a small range, and then the time for which a record is, such as the days of a booking.
 */
const KINDS: readonly Kind[] = [
  {
    isNew: (_name, schema, depth) =>
      depth === 1 && typeOf(schema) === 'string' && keyword(schema, 'pattern') !== undefined,
    renew: newValue,
  },
  {
    isNew: (name, schema, depth) => depth === 1 && !NOT_OWN.test(name) && isVaried(schema),
    renew: newValue,
  },
  {
    isNew: (name, schema, depth) => depth > 1 && !NOT_OWN.test(name) && isVaried(schema),
    renew: newValue,
  },
  {
    isNew: (name, schema, depth) =>
      depth === 1 && NUMBER.test(name) && typeOf(schema) === 'integer',
    renew: (schema, old, { count }) =>
      typeof old === 'number' ? countedNumber(schema, count) : undefined,
  },
  {
    isNew: (_name, schema, depth) => depth === 1 && isDate(schema),
    renew: (schema, old, { move }) => (typeof old === 'string' ? move(old, schema) : undefined),
  },
]

/**
 * Finds out which values no two records may have, where the document does not say so: when a creation is refused with a 409, it is sent
 * with new values. From then on, each request to create a record gets its own.
 */
export class UniqueValues {
  readonly #placeOf: (operation: Operation) => string
  readonly #found = new Map<Operation, Kind>()
  /** How many records got values of their own. */
  #count = 0
  /** The texts that records got, by the collections and properties. */
  readonly #used = new Map<string, Set<string>>()
  readonly #collectionOf: (operation: Operation) => string

  /**
   * `placeOf`: where the record is in the body of an operation, as a JSON pointer; `collectionOf`: what the operations on the records of
   * one collection have in common.
   */
  constructor(
    placeOf: (operation: Operation) => string,
    collectionOf: (operation: Operation) => string,
  ) {
    this.#placeOf = placeOf
    this.#collectionOf = collectionOf
  }

  /** Notes the texts that a record got, so that a form with few of them gives another record others. */
  note({ request: { operation, body }, status }: ProbeResponse): void {
    if (!operation?.body || body === undefined || status >= 300) return
    const place = this.#placeOf(operation)
    const record = valueAt(parseJsonText(body), place)
    const schema = schemaAt(operation.body.schema, place)
    if (!schema || !isObject(record)) return
    for (const { path, old } of leavesOf(record, schema))
      if (typeof old === 'string') this.#usedAt(operation, path).add(old)
  }

  /** The texts that records got at the path of a property. */
  #usedAt(operation: Operation, path: readonly string[]): Set<string> {
    const key = [this.#collectionOf(operation), ...path].join(' ')
    const used = this.#used.get(key) ?? new Set()
    this.#used.set(key, used)
    return used
  }

  /** The value of a body with values that no other record has, as far as the service wants them. */
  in(operation: Operation, value: unknown): unknown {
    const kind = this.#found.get(operation)
    return kind ? this.#renewed(operation, value, kind) : value
  }

  /** Sends a creation again, with other values, if it conflicts with a record. Returns the last response. */
  async find(
    refused: ProbeResponse,
    send: (request: ProbeRequest) => Promise<ProbeResponse>,
  ): Promise<ProbeResponse> {
    const { request, status } = refused
    const { operation, body } = request
    const value = body === undefined ? undefined : parseJsonText(body)
    if (status !== 409 || !operation?.body || !isObject(value)) return refused
    const found = this.#found.get(operation)
    // Where a form has few values, another record may have the first ones.
    const again = found ? Array<Kind>(MAX_TRIES).fill(found) : []
    for (const kind of [...again, ...KINDS.filter((one) => one !== found)]) {
      const renewed = JSON.stringify(this.#renewed(operation, value, kind))
      if (renewed === JSON.stringify(value)) continue
      const response = await send({ ...request, body: renewed })
      // A new text may have to be the code of another record, and be that of none.
      if (response.status === 409 || isInvalidInput(response)) continue
      this.#found.set(operation, kind)
      return response
    }
    return refused
  }

  /** Only values that are valid are replaced: an invalid one is what a request tests. */
  #renewed(operation: Operation, value: unknown, { isNew, renew }: Kind): unknown {
    const { body } = operation
    const place = this.#placeOf(operation)
    const record = valueAt(value, place)
    const schema = body && schemaAt(body.schema, place)
    if (!body || !schema || !isObject(record)) return value
    const wasValid = body.validate(value)
    this.#count += 1
    const [move, count] = [this.#moveOf(record), this.#count]
    return leavesOf(record, schema).reduce<unknown>((renewed, leaf) => {
      const { path, old } = leaf
      // A time of the day is not what records are known by, and has an order to others.
      const isFixed = typeof old === 'string' && /^\d\d:\d\d(:\d\d)?$/.test(old)
      const isOther = isFixed || !isNew(path.at(-1) ?? '', leaf.schema, path.length)
      if (isOther || !surelyMatches(leaf.schema, old)) return renewed
      const used = this.#usedAt(operation, path)
      if (typeof old === 'string') used.add(old)
      const other = renew(leaf.schema, old, { move, count, used })
      if (typeof other === 'string') used.add(other)
      const changed = withValueAt(renewed, [...parsePointer(place), ...path], other)
      return other !== undefined && (!wasValid || body.validate(changed)) ? changed : renewed
    }, value)
  }

  /** Moves the dates of a record so far that no two records overlap. */
  #moveOf(record: JsonObject): Move {
    const times = Object.values(record).flatMap((one) =>
      typeof one === 'string' && /^\d{4}-\d\d-\d\d/.test(one) ? Date.parse(one) || [] : [],
    )
    const length = Math.max(...times) - Math.min(...times)
    const by = this.#count * (Math.ceil(length / DAY) + 1) * DAY
    return (date, { format }) => {
      const moved = new Date(Date.parse(date) + by).toISOString()
      return format === 'date' ? moved.slice(0, 10) : moved
    }
  }
}

/** A value of a record that is no object, and where it is. */
interface Leaf {
  readonly path: readonly string[]
  readonly schema: Schema
  readonly old: unknown
}

/** How deep objects inside of a record are read. */
const MAX_DEPTH = 3

function leavesOf(value: JsonObject, schema: Schema, above: readonly string[] = []): Leaf[] {
  const properties = propertiesOf(schema)
  return Object.entries(value).flatMap(([name, old]) => {
    const own = properties.get(name)
    const path = [...above, name]
    if (!own) return []
    if (!isObject(old)) return [{ path, schema: own, old }]
    return path.length < MAX_DEPTH ? leavesOf(old, own, path) : []
  })
}

const DAY = 24 * 3_600_000

/** So often is a record sent again with other values of the kind that was found. */
const MAX_TRIES = 2

/** So many values of a form are made to find one that no other record has. */
const MAX_GENERATED = 8

/** Whether a schema has so many values that each record can have its own. */
function isVaried(schema: Schema): boolean {
  if (keyword(schema, 'enum') || schema.const !== undefined) return false
  const type = typeOf(schema)
  const { minimum = 0, maximum = Number.MAX_SAFE_INTEGER } = withoutNull(schema)
  if (type === 'integer') return maximum - minimum > LEAST_RANGE

  return type === 'string' && !/^(date|time|date-time)$/.test(keyword(schema, 'format') ?? '')
}

function newValue(schema: Schema, old: unknown, { used }: Next): unknown {
  const isFree = ['pattern', 'format'].every(
    (one) => keyword(schema, one as 'format') === undefined,
  )
  const word = plainName(unguessableWord())
  if (typeof old === 'string' && isFree) {
    // A text of the longest length keeps it.
    const { maxLength } = withoutNull(schema)
    const kept = old.slice(0, Math.max(0, (maxLength ?? old.length + 99) - word.length - 1))
    return [`${kept} ${word}`, word.slice(0, maxLength)].find((one) => surelyMatches(schema, one))
  }
  const number = typeof old === 'number' ? largeNumber(schema) : undefined
  if (number !== undefined) return number
  const alike = typeof old === 'string' ? textsLike(old, schema) : []
  return alike.find((one) => !used.has(one)) ?? generatedValue(schema, word, used) ?? alike[0]
}

/** Texts of the same form as another one, some of which records may have. */
function textsLike(old: string, schema: Schema): readonly string[] {
  return Array.from({ length: MAX_GENERATED }, () => textLike(old, schema) ?? []).flat()
}

/** A generated value that no record got before, if there is one; `undefined` when none is valid. */
function generatedValue(schema: Schema, word: string, used: ReadonlySet<string>): unknown {
  const seeds = Array.from({ length: MAX_GENERATED }, (_, at) => `${word}${at}`)
  const values = seeds.map((seed) =>
    generateValue({ schema, seed, now: 0 }, { hasExamples: false }),
  )
  const valid = values.flatMap(({ value, isValid }) => (isValid ? [value] : []))
  return valid.find((one) => !used.has(String(one))) ?? valid[0]
}

/**
 * An integer that no other record has. It is large: a small one may be accepted because it asks for less, and not because it is new.
 * `undefined` when the schema allows none.
 */
function largeNumber(schema: Schema): number | undefined {
  const { minimum = 0, maximum = Number.MAX_SAFE_INTEGER } = withoutNull(schema)
  const span = Math.min(maximum - minimum, 100 * LEAST_RANGE)
  const number = Math.ceil(minimum + span / 10) + randomBelow(Math.floor(span * 0.9))

  return surelyMatches(schema, number) ? number : undefined
}

/** One number after another of a range, from its first quarter on; `undefined` when the schema allows none. */
function countedNumber(schema: Schema, count: number): number | undefined {
  const { minimum = 0, maximum = minimum + LEAST_RANGE } = withoutNull(schema)
  const span = Math.floor(maximum) - Math.ceil(minimum) + 1
  const number = Math.ceil(minimum) + ((Math.floor(span / 4) + count) % span)

  return surelyMatches(schema, number) ? number : undefined
}

/** What is replaced in a text of a form, such as `AB-01`: capitals, other letters and digits; else the digits only. */
const CHARACTERS = [/[A-Z]|[a-z]|\d/g, /\d/g]

/** Another text with the same kinds of characters at the same places; `undefined` when the form allows none. */
function textLike(old: string, schema: Schema): string | undefined {
  if (keyword(schema, 'format') !== undefined) return undefined
  const texts = CHARACTERS.map((characters) => old.replace(characters, randomLike))
  return texts.find((one) => one !== old && surelyMatches(schema, one))
}

function randomLike(character: string): string {
  if (/\d/.test(character)) return String(randomBelow(10))
  const letter = String.fromCharCode(97 + randomBelow(26))
  return character === character.toLowerCase() ? letter : letter.toUpperCase()
}

function randomBelow(count: number): number {
  const [random = 0] = crypto.getRandomValues(new Uint32Array(1))
  return random % count
}
