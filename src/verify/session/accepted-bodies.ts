import type { Operation, RequestBody, Schema } from '../../contract/contract.ts'
import { isJson, parseJsonText } from '../../contract/json.ts'
import { parsePointer, propertiesOf, schemaAt } from '../../contract/schema.ts'
import type { JsonObject } from '../../document/json-value.ts'
import { generateValue } from '../../generate/generate-value.ts'
import { withValueAt } from '../../resources/views/record-body.ts'
import { isObject } from '../../validation/objects.ts'
import type { ProbeRequest, ProbeResponse } from '../messages.ts'
import { plainName, valueAt } from '../record-address.ts'
import { sampleBody } from '../test-data/sample-body.ts'
import { unguessableWord } from '../test-data/unguessable.ts'
import { keyword, typeOf, withoutNull } from '../test-data/values.ts'

/** The most bodies that are sent instead of one that was refused. */
const MAX_ATTEMPTS = 16

/** Shorter texts are in the message of an error by chance. */
const LEAST_LENGTH = 3

/** Without a value, the property is left out. */
interface Change {
  readonly make?: () => unknown
}

type Changes = ReadonlyMap<string, Change>

/** A property whose value a service refused, although the document allows it. */
export interface RefusedField {
  readonly name: string
  readonly refused: unknown
  /** What was accepted instead; absent where the service accepted the body without the property. */
  readonly accepted?: unknown
  /** Whether the document says exactly which values are allowed, such as by an enum or a range. */
  readonly isExact: boolean
}

/** A body that a service refused as invalid, although the document allows it. */
export interface RefusedBody {
  readonly operation: Operation
  readonly response: ProbeResponse
  /** Whether the service accepted another body. */
  readonly isSolved: boolean
  /** The properties that had to change until the service accepted the body, as far as its messages name them. */
  readonly fields: readonly RefusedField[]
}

/** Whether a service refused what was sent as invalid. */
export function isInvalidInput({ status }: Pick<ProbeResponse, 'status'>): boolean {
  return status === 400 || status === 422
}

/**
 * Finds bodies that a service accepts. A service may have rules that the document does not state, such as names that are host names:
 * when it refuses a valid body, single properties of it are changed, first those that the message of the error is about.
 */
export class AcceptedBodies {
  readonly #placeOf: (operation: Operation) => string
  readonly #changes = new Map<Operation, Changes>()
  readonly #refused = new Map<Operation, RefusedBody>()
  readonly #accepted = new Set<Operation>()
  /** The operations that were sent small numbers. */
  readonly #smaller = new Set<Operation>()

  /** `placeOf`: where the record is in the body of an operation, as a JSON pointer. */
  constructor(placeOf: (operation: Operation) => string) {
    this.#placeOf = placeOf
  }

  /** What the service has refused. */
  get refused(): readonly RefusedBody[] {
    return [...this.#refused.values()]
  }

  /** Notes that the service accepted a body: what it refused was not about its values alone, but about records to which it refers. */
  note(operation: Operation): void {
    this.#accepted.add(operation)
  }

  /** Whether the service accepted none of the bodies of an operation. */
  hasNone(operation: Operation): boolean {
    return this.#refused.get(operation)?.isSolved === false && !this.#accepted.has(operation)
  }

  /** Whether the service accepts a property of a body only with other values than those that were made for it, or not at all. */
  isRestricted(operation: Operation, name: string): boolean {
    return this.#changes.get(operation)?.has(name) === true
  }

  /** The value of a body as the service accepts it, as far as that is known. */
  accepted(operation: Operation, value: unknown): unknown {
    const changes = this.#changes.get(operation)
    return changes ? changed(value, this.#placeOf(operation), changes) : value
  }

  /**
   * Sends other bodies than the refused one until the service accepts one. Returns the last response that says most. `around` returns the
   * record in the path and those that the body refers to: dates and numbers may have to be as theirs, or between them.
   */
  async find(
    refused: ProbeResponse,
    send: (request: ProbeRequest) => Promise<ProbeResponse>,
    around: () => readonly unknown[] = () => [],
  ): Promise<ProbeResponse> {
    const { request } = refused
    const { operation } = request
    if (!operation?.body || !isCandidate(request) || this.#refused.has(operation)) return refused
    const value: unknown = parseJsonText(request.body ?? '')
    const search = new Search(operation.body, value, this.#placeOf(operation), around())
    this.#refused.set(operation, { operation, response: refused, isSolved: false, fields: [] })
    let response = refused
    for (let sent = 0; sent < MAX_ATTEMPTS; sent += 1) {
      const body = search.next(response)
      if (body === undefined) return refused
      response = await send({ ...request, body: JSON.stringify(body) })
      // Another value may make the service fail.
      if (isInvalidInput(response) || response.status >= 500) continue
      // A conflict is not about the input.
      const isConflict = response.status === 409
      if (response.status >= 400 && !isConflict) return refused
      this.#changes.set(operation, search.changes)
      if (isConflict) return response
      const fields = await this.#confirmed(search, request, send)
      this.#refused.set(operation, { operation, response: refused, isSolved: true, fields })
      return response
    }
    return refused
  }

  /**
   * Sends a new record with small numbers after a service refused it because of other records, such as of how many are in stock. When the
   * service accepts it, the operation has them from then on.
   */
  async findSmaller(
    refused: ProbeResponse,
    send: (request: ProbeRequest) => Promise<ProbeResponse>,
  ): Promise<ProbeResponse> {
    const { request } = refused
    const { operation } = request
    if (!operation?.body || !isCandidate(request) || this.#smaller.has(operation)) return refused
    this.#smaller.add(operation)
    const place = this.#placeOf(operation)
    const value: unknown = parseJsonText(request.body ?? '')
    const record = valueAt(value, place)
    const known = this.#changes.get(operation) ?? []
    const smaller = Object.entries(isObject(record) ? record : {}).flatMap(([name, one]) => {
      const small = withSmallNumbers(one)
      const isSame = JSON.stringify(small) === JSON.stringify(one)
      return isSame ? [] : [[name, { make: () => small }] as const]
    })
    const changes = new Map([...known, ...smaller])
    const body = changed(value, place, changes)
    if (smaller.length === 0 || !operation.body.validate(body)) return refused
    const response = await send({ ...request, body: JSON.stringify(body) })
    if (response.status < 400) this.#changes.set(operation, changes)
    return response.status < 400 ? response : refused
  }

  /**
   * The changed properties without those that the service accepts when everything else is right. A text of the greatest length is sent
   * with one letter less: when the service accepts that, its limit is not the one of the document.
   */
  async #confirmed(
    search: Search,
    request: ProbeRequest,
    send: (request: ProbeRequest) => Promise<ProbeResponse>,
  ): Promise<readonly RefusedField[]> {
    const answerTo = (field: RefusedField): Promise<ProbeResponse> =>
      send({ ...request, body: JSON.stringify(search.bodyWith(field)) })
    const confirmed: RefusedField[] = []
    for (const field of search.fields) {
      const shorter = field.isExact ? undefined : search.shorter(field)
      const isAccepted = shorter !== undefined && (await answerTo(shorter)).status < 300
      if (isAccepted) confirmed.push({ ...field, accepted: shorter.refused, isExact: true })
      else if (!field.isExact || isInvalidInput(await answerTo(field))) confirmed.push(field)
    }
    return confirmed
  }
}

/** Whether a request has the body that was made for it, and no other is the subject of a check. */
function isCandidate({
  body,
  sample,
  type = 'application/json',
  credentials,
}: ProbeRequest): boolean {
  return body !== undefined && body === sample && isJson(type) && credentials === 'key'
}

/** The search for a body that a service accepts. */
class Search {
  readonly #body: RequestBody
  readonly #value: unknown
  /** The body that was sent last. */
  #last: unknown
  readonly #place: string
  readonly #dates: readonly string[]
  readonly #numbers: readonly number[]
  readonly #properties: ReadonlyMap<string, Schema>
  readonly #open = new Map<string, Change[]>()
  readonly #sent = new Map<string, Change>()
  /** The properties that no message names, and that were left out together. */
  #reducedNames: ReadonlySet<string> | undefined
  #isSmaller = false

  constructor(body: RequestBody, value: unknown, place: string, around: readonly unknown[]) {
    this.#body = body
    this.#value = value
    this.#last = value
    this.#place = place
    this.#dates = around.flatMap(datesIn)
    this.#numbers = [...new Set(around.flatMap(numbersIn))]
    this.#properties = propertiesOf(schemaAt(body.schema, place) ?? {})
  }

  get changes(): Changes {
    return this.#sent
  }

  /** The properties that were changed, with their values before and after. */
  get fields(): readonly RefusedField[] {
    const before = this.#record(this.#value)
    const after = this.#record(changed(this.#value, this.#place, this.#sent))
    const isChanged = (name: string): boolean =>
      !this.#reducedNames?.has(name) && JSON.stringify(before[name]) !== JSON.stringify(after[name])
    return [...this.#sent.keys()].filter(isChanged).map((name) => ({
      name,
      refused: before[name],
      ...(Object.hasOwn(after, name) && { accepted: after[name] }),
      // A schema that allows null says so.
      isExact: before[name] === null || isExact(this.#properties.get(name) ?? {}),
    }))
  }

  /** The field with one letter less, where it has as many as the schema allows. */
  shorter({ name, refused, ...field }: RefusedField): RefusedField | undefined {
    const { minLength = 0, maxLength } = withoutNull(this.#properties.get(name) ?? {})
    const letters = typeof refused === 'string' ? [...refused] : []
    const isLongest = letters.length > minLength && letters.length === maxLength
    return isLongest ? { ...field, name, refused: letters.slice(0, -1).join('') } : undefined
  }

  /** The accepted body with the refused value of one property. */
  bodyWith({ name, refused }: RefusedField): unknown {
    return changed(
      this.#value,
      this.#place,
      new Map([...this.#sent, [name, { make: () => refused }]]),
    )
  }

  /** The next body, after a response to the one before; `undefined` when there is none. */
  next({ text }: ProbeResponse): unknown {
    for (const name of this.#blamedBy(text)) {
      const open = this.#open.get(name) ?? this.#changesOf(name, text)
      this.#open.set(name, open)
      for (let change = open.shift(); change; change = open.shift()) {
        this.#sent.set(name, change)
        this.#last = changed(this.#value, this.#place, this.#sent)
        if (this.#body.validate(this.#last)) return this.#last
      }
      this.#sent.delete(name)
    }
    return this.#reduced() ?? this.#smaller()
  }

  /** The body with small numbers, once. */
  #smaller(): unknown {
    if (this.#isSmaller) return undefined
    this.#isSmaller = true
    const record = this.#record(changed(this.#value, this.#place, this.#sent))
    for (const [name, value] of Object.entries(record)) {
      const small = withSmallNumbers(value)
      if (JSON.stringify(small) !== JSON.stringify(value))
        this.#sent.set(name, { make: () => small })
    }
    const next = changed(this.#value, this.#place, this.#sent)
    const isOther = JSON.stringify(next) !== JSON.stringify(this.#last)
    this.#last = next
    return isOther && this.#body.validate(next) ? next : undefined
  }

  /** The body with only what the document requires, once. */
  #reduced(): unknown {
    if (this.#reducedNames) return undefined
    const names = Object.keys(this.#record(this.#value)).filter((name) => !this.#sent.has(name))
    this.#reducedNames = new Set(names)
    for (const name of names) {
      const without = new Map([...this.#sent, [name, {}] as const])
      if (this.#body.validate(changed(this.#value, this.#place, without))) this.#sent.set(name, {})
    }
    this.#last = changed(this.#value, this.#place, this.#sent)
    return this.#last
  }

  /** The properties that the text of a refusal is about: their values are in it, or their names. */
  #blamedBy(text: string): readonly string[] {
    const record = this.#record(this.#last)
    // The keys of a JSON text are not what it says.
    const said = plainWords(text.replace(/"[^"]*"\s*:/g, ' '))
    const byValue = Object.entries(record).flatMap(([name, value]) =>
      textsIn(value).some((one) => said.joined.includes(plainName(one))) ? [name] : [],
    )
    const names = [...new Set([...this.#properties.keys(), ...Object.keys(record)])]
    const byName = names
      .filter((name) => said.words.includes(` ${plainWords(name).words.trim()} `))
      .sort((one, other) => other.length - one.length)
    // A message that repeats the whole body names the property in other ways.
    const isEcho = byValue.length > 1 && byValue.length > Object.keys(record).length / 2

    const blamed = [...new Set(isEcho ? [...byName, ...byValue] : [...byValue, ...byName])]
    // A message may name the record by a value that is accepted by now.
    const isChanged = (name: string): boolean => this.#sent.has(name)
    return [...blamed.filter((name) => !isChanged(name)), ...blamed.filter(isChanged)]
  }

  /** What may be sent instead of the value of a property: nothing, and then other values that the document allows. */
  #changesOf(name: string, message: string): Change[] {
    const schema = this.#properties.get(name) ?? {}
    const value = this.#record(this.#value)[name]
    const before = this.#sent.has(name) ? [{ make: () => value }] : [{}]
    const said = plainName(message)

    return [
      ...(value === undefined ? this.#generated(name) : before),
      ...datesFor(schema, this.#dates).map((date) => ({ make: () => date })),
      ...numbersFor(value, this.#numbers).map((one) => ({ make: () => one })),
      ...otherValues(schema, value).map((make) => ({ make })),
      ...(isObject(value) || Array.isArray(value)
        ? [
            { make: () => withSmallNumbers(value) },
            ...TEXTS.map((make) => ({ make: () => withTexts(value, said, make) })),
          ]
        : []),
    ]
  }

  #generated(name: string): readonly Change[] {
    const whole = sampleBody(this.#body, {
      model: undefined,
      text: unguessableWord(),
      isComplete: true,
    })
    const { [name]: value } = this.#record(whole)
    return value === undefined ? [] : [{ make: () => value }]
  }

  #record(body: unknown): JsonObject {
    const record = valueAt(body, this.#place)
    return isObject(record) ? record : {}
  }
}

function changed(body: unknown, place: string, changes: Changes): unknown {
  const keys = parsePointer(place)
  const record = valueAt(body, place)
  if (!isObject(record)) return body
  const kept = Object.entries(record).filter(
    ([name]) => changes.get(name)?.make || !changes.has(name),
  )
  const given = [...changes].flatMap(([name, { make }]) => (make ? [[name, make()] as const] : []))
  const next = Object.fromEntries([...kept, ...given])

  return keys.length === 0 ? next : withValueAt(body, keys, next)
}

/** A list or object with other texts under the names under which it has a text that a message repeats. */
function withTexts(value: unknown, said: string, make: () => unknown): unknown {
  const names = new Set(
    textsByName(value).flatMap(([name, text]) =>
      plainName(text).length >= LEAST_LENGTH && said.includes(plainName(text)) ? [name] : [],
    ),
  )
  const replaced = (one: unknown, name: string): unknown => {
    if (typeof one === 'string') return names.has(name) ? make() : one
    if (Array.isArray(one)) return one.map((item) => replaced(item, name))
    if (!isObject(one)) return one
    return Object.fromEntries(
      Object.entries(one).map(([key, inner]) => [key, replaced(inner, key)]),
    )
  }
  return replaced(value, '')
}

/** A list or object with 1 instead of larger numbers: other records may limit them, such as how many are in stock. */
function withSmallNumbers(value: unknown): unknown {
  if (typeof value === 'number') return Math.min(value, 1)
  if (Array.isArray(value)) return value.map(withSmallNumbers)
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, withSmallNumbers(one)]))
}

function textsByName(value: unknown, name = ''): readonly (readonly [string, string])[] {
  if (typeof value === 'string') return [[name, value]]
  if (Array.isArray(value)) return value.flatMap((one) => textsByName(one, name))
  return isObject(value)
    ? Object.entries(value).flatMap(([key, inner]) => textsByName(inner, key))
    : []
}

/** The most dates of other records that are tried. */
const MAX_DATES = 4

/** Dates in the form of a property: the given ones, from the latest one on, and the days after them. */
function datesFor(schema: Schema, dates: readonly string[]): readonly string[] {
  const format = keyword(schema, 'format')
  if (format !== 'date' && format !== 'date-time') return []
  const times = [...new Set(dates.map((one) => Date.parse(one)))].sort((one, other) => other - one)
  const inForm = (time: number): string => {
    const text = new Date(time).toISOString()
    return format === 'date' ? text.slice(0, 10) : text
  }
  return times.slice(0, MAX_DATES).flatMap((time) => [inForm(time), inForm(time + DAY)])
}

const DAY = 86_400_000

/** The days and the moments in a value. */
function datesIn(value: unknown): readonly string[] {
  if (typeof value === 'string')
    return /^\d{4}-\d\d-\d\d(T|$)/.test(value) && !Number.isNaN(Date.parse(value)) ? [value] : []
  return isObject(value) || Array.isArray(value) ? Object.values(value).flatMap(datesIn) : []
}

/** The most numbers of other records that are tried. */
const MAX_NUMBERS = 4

/** Numbers of other records that a number may have to reach, or must not exceed, the nearest ones first. */
function numbersFor(value: unknown, numbers: readonly number[]): readonly number[] {
  if (typeof value !== 'number') return []
  return numbers
    .filter((one) => one > 0 && one !== value)
    .sort((one, other) => Math.abs(one - value) - Math.abs(other - value))
    .slice(0, MAX_NUMBERS)
}

/** The numbers in a record. */
function numbersIn(value: unknown): readonly number[] {
  if (typeof value === 'number') return [value]
  return isObject(value) ? Object.values(value).flatMap(numbersIn) : []
}

/** Functions that make other valid values of a property. */
function otherValues(schema: Schema, value: unknown): readonly (() => unknown)[] {
  const members = keyword(schema, 'enum')
  if (members) return members.filter((one) => one !== value).map((one) => () => one)
  switch (typeOf(schema)) {
    case 'boolean':
      return [() => value !== true]
    case 'integer':
    case 'number':
      return [1, 0, 10, 100, 1000].map((one) => () => one)
    case 'array':
      return [() => []]
    case 'string':
      // A text of any form is an unguessable one.
      return keyword(schema, 'pattern') === undefined
        ? TEXTS
        : [...Array.from({ length: MAX_FORMS }, () => textOfForm(schema)), ...TEXTS]
    default:
      return []
  }
}

/** The number of other texts of a form that are tried, such as of a time that has to be later than another one. */
const MAX_FORMS = 3

/** Makes texts of the form that a schema has: one time of the day, which may have to be later than another one, or a new text each time. */
function textOfForm(schema: Schema): () => unknown {
  const text = generated(schema)
  return /^\d\d:\d\d/.test(String(text)) ? () => text : () => generated(schema)
}

/** Another text of the form that a schema has, such as `AB-123456`. */
function generated(schema: Schema): unknown {
  return generateValue({ schema, seed: unguessableWord(), now: 0 }, { hasExamples: false }).value
}

/** Texts that services often want where documents allow any. No record has one yet. */
const TEXTS: readonly (() => unknown)[] = [
  () => unguessableWord(),
  () => unguessableWord().replace('-', ''),
  () => `${unguessableWord()}.example.com`,
  () => `${unguessableWord()}.example.com.`,
  () => `https://example.com/${unguessableWord()}`,
  () => `${unguessableWord()}@example.com`,
  () => crypto.randomUUID(),
  () => '1',
]

/** Whether a schema says which values are allowed, so that a service which refuses one breaks it. */
function isExact(schema: Schema): boolean {
  const type = typeOf(schema)
  const isBounded =
    keyword(schema, 'minimum') !== undefined && keyword(schema, 'maximum') !== undefined
  if (keyword(schema, 'enum') || schema.const !== undefined || type === 'boolean') return true
  return (type === 'integer' || type === 'number') && isBounded
}

/** The texts in a value that a message may repeat. */
function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return plainName(value).length < LEAST_LENGTH ? [] : [value]
  return isObject(value) || Array.isArray(value) ? Object.values(value).flatMap(textsIn) : []
}

/** The words of a text in lower case, with a space around each, and without any space. */
function plainWords(text: string): { readonly words: string; readonly joined: string } {
  // Words in capitals, such as NSEC3PARAM, have no other words in them.
  const separate = text.replace(/([a-z0-9])([A-Z](?![A-Z]))/g, '$1 $2').toLowerCase()
  return { words: ` ${separate.replace(/[^\p{L}\p{N}]+/gu, ' ')} `, joined: plainName(text) }
}
