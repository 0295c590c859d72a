import type { Schema } from '../contract/contract.ts'
import { once, setOwn } from '../validation/objects.ts'
import { constraintsOf, isForbidden, limitOf, namesOf, propertySchemas } from './constraints.ts'
import { listOf, schemaMapOf, schemaOf, textsOf } from './keywords.ts'
import { matches } from './matches.ts'
import { patternText } from './pattern.ts'
import { type Maker, type Place, propertyPlace } from './place.ts'
import { textValue } from './text-value.ts'
import { WORDS } from './words.ts'

/** An object whose properties match all of the schemas; `undefined` when a required one cannot be made. */
export function objectValue(
  applied: readonly Schema[],
  open: ReadonlySet<Schema>,
  place: Place,
  maker: Maker,
): unknown {
  const writer = new ObjectWriter(applied, open, place, maker)
  return writer.write()
}

/** No object has more properties, unless its schema demands them. */
const MAX_DEMANDED = 1000

/** Objects that describe what contains them, such as the address of a person. */
const PARTS =
  /address|contact|profile|name|location|detail|info|attribute|data|billing|shipping|meta|party|position/i

/** The place of an object that is a subject of its own, unless it is a part of what contains it. */
function withSubject(place: Place): Place {
  const { name, depth, subject } = place
  return depth === 0 || PARTS.test(name) ? place : { ...place, subject: subject.part(name) }
}

class ObjectWriter {
  readonly #applied: readonly Schema[]
  readonly #open: ReadonlySet<Schema>
  readonly #place: Place
  readonly #maker: Maker
  readonly #required: ReadonlySet<string>
  readonly #banned: ReadonlySet<string>
  readonly #min: number
  readonly #max: number
  readonly #object: Record<string, unknown> = {}
  #count = 0

  constructor(applied: readonly Schema[], open: ReadonlySet<Schema>, place: Place, maker: Maker) {
    this.#applied = applied
    this.#open = open
    this.#place = withSubject(place)
    this.#maker = maker
    const { required, banned, min, max } = demandsOf(applied)
    this.#required = required
    this.#banned = banned
    this.#min = min
    this.#max = max
  }

  write(): unknown {
    const required = [...this.#required]
    if (this.#min > MAX_DEMANDED) {
      return this.#maker.fail(this.#place, `objects of ${this.#min} properties are not generated`)
    }
    const missing = this.#addAll(required, namesOf(this.#applied))
    if (missing !== undefined) return undefined
    if (required.length > this.#max || this.#min > this.#max) {
      return this.#maker.fail(this.#place, `it requires more than ${this.#max} properties`)
    }
    this.#addExtra()
    if (this.#count < this.#min) {
      return this.#maker.fail(this.#place, `it needs at least ${this.#min} properties`)
    }
    return this.#object
  }

  /** Adds properties in the order of the document. Returns the name of a required one that cannot be made. */
  #addAll(required: readonly string[], names: readonly string[]): string | undefined {
    const ordered = [...names, ...required.filter((name) => !names.includes(name))]
    let room = Math.max(this.#max, required.length) - required.length
    let isNeeded = this.#min - required.length
    for (const name of ordered) {
      const isRequired = this.#required.has(name)
      if (!isRequired && room <= 0) continue
      if (this.#add(name, isRequired || isNeeded > 0)) {
        if (!isRequired) {
          room -= 1
          isNeeded -= 1
        }
      } else if (isRequired) return name
    }
    return undefined
  }

  /** Adds a property; `false` when it is left out or cannot be made. */
  #add(name: string, isNeeded: boolean): boolean {
    if (Object.hasOwn(this.#object, name)) return true
    const schemas = propertySchemas(this.#applied, name)
    const place = propertyPlace(this.#place, name, this.#open, namesOf(this.#applied))
    if (this.#banned.has(name) || isForbidden(schemas) || !this.#isAllowedName(name)) {
      if (isNeeded) this.#maker.fail(place, 'it is required, but its schema allows no value')
      return false
    }
    const isRecursive = schemas.some((schema) => this.#open.has(schema))
    if (!isNeeded && (this.#maker.isSmall || isRecursive)) return false
    if (!this.#required.has(name) && !this.#hasDependents(name)) return false
    const value = this.#maker.make(schemas, place)
    if (value === undefined) return false
    setOwn(this.#object, name, value)
    this.#count += 1

    return true
  }

  /** Adds the properties that a property requires when it is there. */
  #hasDependents(name: string): boolean {
    return dependentsOf(this.#applied, name)
      .filter((other) => other !== name)
      .every((other) => this.#add(other, true))
  }

  #isAllowedName(name: string): boolean {
    return this.#applied.every((schema) => {
      const names = schemaOf(schema, 'propertyNames')
      return names === undefined || matches(names, name)
    })
  }

  /** Adds properties that only `additionalProperties` or `patternProperties` describe. */
  #addExtra(): void {
    const isMap =
      namesOf(this.#applied).length === 0 && !this.#maker.isSmall && this.#place.depth < 6
    const wanted = Math.min(Math.max(this.#min, isMap ? 2 : 0), this.#max)
    if (this.#count >= wanted) return
    for (const name of extraNames(this.#applied, this.#place, this.#min - this.#count)) {
      if (this.#count >= wanted) return
      if (!Object.hasOwn(this.#object, name)) this.#add(name, this.#count < this.#min)
    }
  }
}

/** What schemas demand of the properties of an object. */
interface ObjectDemands {
  readonly required: ReadonlySet<string>
  readonly banned: ReadonlySet<string>
  readonly min: number
  readonly max: number
}

const demandsOf = once((applied: readonly Schema[]): ObjectDemands => {
  const { required: own, excluded } = constraintsOf(applied)
  const required = withDependents(own, applied)
  return {
    required,
    banned: new Set(excluded.flatMap((one) => bannedName(one, required))),
    min: limitOf(applied, 'minProperties', Math.max) ?? 0,
    max: limitOf(applied, 'maxProperties', Math.min) ?? Number.POSITIVE_INFINITY,
  }
})

/** The required names, with those that they require. */
function withDependents(
  required: ReadonlySet<string>,
  applied: readonly Schema[],
): ReadonlySet<string> {
  const all = new Set(required)
  // A `for of` loop also visits what is added during the loop.
  for (const name of all) for (const other of dependentsOf(applied, name)) all.add(other)

  return all
}

const hasDependents = once((applied: readonly Schema[]) =>
  applied.some(({ dependentRequired }) => dependentRequired !== undefined),
)

function dependentsOf(applied: readonly Schema[], name: string): readonly string[] {
  if (!hasDependents(applied)) return []
  return applied.flatMap(({ dependentRequired }) => {
    const names = Object(dependentRequired)
    return Object.hasOwn(names, name) ? textsOf(names, name) : []
  })
}

/** The property that `not: { required: [...] }` keeps away. */
function bannedName(excluded: Schema, required: ReadonlySet<string>): readonly string[] {
  const isSimple = Object.keys(excluded).every((keyword) => ['required', 'type'].includes(keyword))
  const name = textsOf(excluded, 'required').find((one) => !required.has(one))

  return isSimple && name !== undefined ? [name] : []
}

const ANY_LENGTH = { min: 0, max: 200 }

/** Names for properties that no schema names. `needed` of them are required; without any, only schemas with entries get some. */
function* extraNames(applied: readonly Schema[], place: Place, needed: number): Generator<string> {
  const random = place.random.part('names')
  const named = applied.flatMap((schema) => listOf(schemaOf(schema, 'propertyNames')))
  const isValid = (name: string): boolean => named.every((one) => matches(one, name))
  const patterns = applied.flatMap((schema) => schemaMapOf(schema, 'patternProperties'))
  const hasEntries = applied.some(
    ({ additionalProperties: inner }) => typeof inner === 'object' && Object.keys(inner).length > 0,
  )
  if (needed <= 0 && patterns.length === 0 && !hasEntries) return
  const count = Math.max(needed, 2)
  for (let at = 0; at < count * 3; at += 1) {
    for (const one of named.flatMap((schema) => schema.enum ?? [])) yield String(one)
    for (const [pattern] of patterns) {
      const name = patternText(pattern, ANY_LENGTH, random.part(`${pattern} ${at}`), isValid)
      if (name !== undefined) yield name
    }
    if (hasEntries || needed > 0)
      yield* plainNames(named, { ...place, random: random.part(at) }, at)
  }
}

function* plainNames(named: readonly Schema[], place: Place, at: number): Generator<string> {
  const word = place.random.pick(WORDS) ?? 'amber'
  if (named.length === 0) {
    yield word
    yield `${word}${at}`
    return
  }
  const maker = { now: 0, isSmall: false, make: () => undefined, fail: () => undefined }
  const text = textValue(named, { ...place, name: '' }, maker)
  if (typeof text === 'string') yield text
}
