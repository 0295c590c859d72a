import type { MediaType, Schema, SchemaValidator } from '../contract/contract.ts'
import { listedValues, propertiesOf, requiredNames, withBranches } from '../contract/schema.ts'
import { generateDocumentedValue } from '../generate/generate-value.ts'
import { matches } from '../generate/matches.ts'
import { isObject, setOwn } from '../validation/objects.ts'
import type { ErrorFacts } from './error-facts.ts'
import {
  closestMember,
  type ErrorProperty,
  fieldOf,
  isErrorList,
  isField,
  isSentence,
  knownValues,
  normalizedName,
  OMITTED,
} from './error-properties.ts'

/**
 * The value of an error body with what is known about the error, wherever its properties stand. A value is only replaced if the
 * body stays valid. The value that is passed is changed.
 */
function fillError(
  value: unknown,
  schema: Schema | undefined,
  validate: SchemaValidator | undefined,
  facts: ErrorFacts,
): unknown {
  const fill = (start: unknown, allows: (body: Body) => Allows): unknown => {
    const body = { value: start }
    new ErrorFiller(facts, allows(body)).fill(bodySlot(body, schema, allows(body)))
    return body.value
  }
  if (!validate?.(value)) return fill(value, () => () => true)
  // Validating a large body for each of its properties takes long, so usually each is checked by its own schema.
  const filled = fill(structuredClone(value), () => allowsBySchema)

  return validate(filled) ? filled : fill(value, (body) => () => validate(body.value))
}

/** A body whose value may be replaced. */
interface Body {
  value: unknown
}

/** Whether a place with a schema may have a value, which it has already. */
type Allows = (value: unknown, place: Pick<Slot, 'schema' | 'isRequired'>) => boolean

const allowsBySchema: Allows = (value, { schema, isRequired }) =>
  value === OMITTED ? !isRequired : schema === undefined || matches(schema, value)

/** What is around a place. */
type Around = Pick<ErrorProperty, 'parentName' | 'isItem' | 'item'> & { readonly depth: number }

/** Error bodies are not deeper. */
const MAX_DEPTH = 8

class ErrorFiller {
  readonly #facts: ErrorFacts
  readonly #allows: Allows

  constructor(facts: ErrorFacts, allows: Allows) {
    this.#facts = facts
    this.#allows = allows
  }

  /** Fills the whole body. */
  fill(root: Slot): void {
    const { items, message } = this.#facts
    const item = items.length === 1 ? items[0] : undefined
    if (typeof root.get() === 'string') root.set(message)
    else this.#fill(root, { parentName: '', isItem: false, item, depth: 0 })
  }

  #fill(slot: Slot, around: Around): void {
    const value = slot.get()
    if (around.depth > MAX_DEPTH) return
    if (Array.isArray(value)) this.#fillList(slot, value, around)
    else if (isObject(value) && isMap(slot, value)) this.#fillMap(slot, value)
    else if (isObject(value)) {
      for (const name of Object.keys(value)) this.#fillProperty(slot, value, name, around)
    }
  }

  #fillProperty(
    { schema: parentSchema }: Slot,
    parent: Readonly<Record<string, unknown>>,
    name: string,
    around: Around,
  ): void {
    const schema = parentSchema && propertiesOf(parentSchema).get(name)
    const isRequired = parentSchema !== undefined && requiredNames(parentSchema).has(name)
    const slot = propertySlot(parent, { name, schema, isRequired }, this.#allows)
    const value = slot.get()
    const plain = normalizedName(name)
    const [first = value] = Array.isArray(value) ? value : []
    const isPlace = isField(plain, around.isItem) && !isObject(first)
    // An error names no other record, unless the document says so.
    const isOther = !this.#facts.isExample && !isErrorList(plain) && isRecord(value)
    if (isOther && slot.set(OMITTED)) return
    if (typeof value === 'object' && value !== null && !isPlace) {
      this.#fill(slot, { ...around, parentName: plain, depth: around.depth + 1 })
      return
    }
    const branches = schema ? withBranches(schema) : []
    const types = branches.flatMap(({ type = [] }) => type)
    const property = { ...around, name, value, parent, ...hintsOf(branches) }
    const candidates = knownValues(property, this.#facts)
    candidates.find((one) => hasType(one, types, value) && slot.set(one))
  }

  /** Makes one entry for each error, as the first entry is. */
  #fillList(slot: Slot, [first]: readonly unknown[], { depth }: Around): void {
    const { items, message } = this.#facts
    const name = normalizedName(slot.name)
    if (!(isErrorList(name) || isSentence(name))) return
    const entries = items.length > 0 ? items : [undefined]
    if (typeof first === 'string') {
      slot.set(entries.map((item) => item?.message ?? message)) || slot.set([message])
      return
    }
    if (!isObject(first)) return
    slot.set(entries.map(() => structuredClone(first))) || slot.set([first])
    const value = slot.get()
    const schema = slot.schema && withBranches(slot.schema).find((one) => one.items)?.items
    if (!Array.isArray(value)) return
    for (const [at, entry] of value.entries()) {
      const entrySlot = {
        ...{ name: 'entry', schema, isRequired: true },
        ...{ get: () => entry, set: () => false },
      }
      const around = { parentName: name, isItem: true, item: entries[at], depth: depth + 1 }
      this.#fill(entrySlot, around)
    }
  }

  /** Makes a property for each field, or none. */
  #fillMap(slot: Slot, value: Readonly<Record<string, unknown>>): void {
    const [first] = Object.values(value)
    const map: Record<string, unknown> = {}
    for (const item of this.#facts.items) {
      setOwn(map, fieldOf(item), typeof first === 'string' ? item.message : [item.message])
    }
    slot.set(map)
  }
}

/** Whether a value is a record, which has an id and no message, or a list of records. */
function isRecord(value: unknown): boolean {
  const [first] = [value].flat()
  return isObject(first) && Object.hasOwn(first, 'id') && !Object.hasOwn(first, 'message')
}

/** Whether an object has the names of fields as keys, as in `errors: { title: ['is required'] }`. */
function isMap({ name, schema }: Slot, value: Readonly<Record<string, unknown>>): boolean {
  if (!schema || !isErrorList(normalizedName(name)) || propertiesOf(schema).size > 0) return false
  return Object.values(value).every((one) => typeof one === 'string' || Array.isArray(one))
}

/** What the schema of a property says about its value. */
function hintsOf(
  branches: readonly Schema[],
): Pick<ErrorProperty, 'members' | 'format' | 'maxLength'> {
  return {
    members: branches.flatMap(({ enum: members = [], const: only }) =>
      only === undefined ? members : [only],
    ),
    format: branches.find(({ format }) => format !== undefined)?.format,
    maxLength: branches.find(({ maxLength }) => maxLength !== undefined)?.maxLength,
  }
}

/** Whether a value has a type that the schema allows; without one, the type of the value that it replaces. */
function hasType(value: unknown, types: readonly string[], before: unknown): boolean {
  if (value === OMITTED) return true
  if (value === null) return types.includes('null')
  if (Array.isArray(value)) return Array.isArray(before)
  if (types.length === 0) return before === null || typeof value === typeof before
  if (typeof value === 'number') return types.includes('integer') || types.includes('number')

  return types.includes(typeof value)
}

/** A place in a body. */
interface Slot {
  /** The name of the property, or of the list that has it as an entry. */
  readonly name: string
  readonly schema: Schema | undefined
  /** Whether the value must not be left out. */
  readonly isRequired: boolean
  get(): unknown
  /** Sets the value if the body is valid with it, and returns whether it is. */
  set(value: unknown): boolean
}

/** The place of a whole body. */
function bodySlot(body: Body, schema: Schema | undefined, allows: Allows): Slot {
  const put = (value: unknown): void => {
    body.value = value
  }
  return createSlot({ name: 'errors', schema, isRequired: true }, () => body.value, put, allows)
}

/** The place of a property. `OMITTED` removes it. */
function propertySlot(
  object: Record<string, unknown>,
  place: Pick<Slot, 'name' | 'schema' | 'isRequired'>,
  allows: Allows,
): Slot {
  const { name } = place
  const put = (value: unknown): void => {
    if (value === OMITTED) delete object[name]
    else setOwn(object, name, value)
  }
  return createSlot(place, () => object[name], put, allows)
}

function createSlot(
  place: Pick<Slot, 'name' | 'schema' | 'isRequired'>,
  get: () => unknown,
  put: (value: unknown) => void,
  allows: Allows,
): Slot {
  const set = (value: unknown): boolean => {
    const before = get()
    put(value)
    if (allows(value, place)) return true
    put(before)
    return false
  }
  return { ...place, get, set }
}

/** The value of an error body. */
export interface FoundValue {
  readonly value: unknown
  /** Why the value does not match its schema; absent when it does. */
  readonly reason?: string
}

/** The value of an error body: as the document describes it, with what happened. `own` is the Error object of the sandbox. */
export async function describedError(
  media: MediaType,
  own: object,
  facts: ErrorFacts,
  options: TemplateOptions,
): Promise<FoundValue> {
  const { validate } = media
  const schema = media.schema && alternativeFor(media.schema, facts)
  const hasExamples = media.examples !== undefined && !options.isDynamic
  const names = schema ? [...propertiesOf(schema).keys()] : []
  if (names.length === 0 && !hasExamples && (validate?.(own) ?? true)) {
    return { value: /problem/.test(media.mediaType) ? problemDetails(facts) : own }
  }
  const template = await errorTemplate(media, schema ?? NO_SCHEMA, options)
  // Nothing is known of a status that is only forced, so an example of that status says more.
  const keepsCodes = template.isExample && facts.isForcedStatus && options.isOwn
  if (keepsCodes && facts.items.length === 0) return template
  const value =
    template.value === undefined
      ? own
      : fillError(template.value, schema, validate, {
          ...{ ...facts, keepsCodes },
          isExample: template.isExample,
        })
  const { reason } = template

  return reason === undefined || validate?.(value) ? { value } : { value, reason }
}

/** The object of RFC 9457. */
function problemDetails({ status, phrase, message, request }: ErrorFacts): object {
  return {
    type: 'about:blank',
    title: phrase,
    status,
    detail: message,
    ...(request && { instance: request.path }),
  }
}

/** A value in the form of an error, before it says what happened. */
interface ErrorTemplate {
  readonly value: unknown
  readonly isExample: boolean
  /** Why the value does not match the schema; absent when it does. */
  readonly reason?: string
}

/** How a template is found. */
export interface TemplateOptions {
  readonly status: number
  /** Whether the document has the content for the status; else it is that of another one. */
  readonly isOwn: boolean
  readonly seed: string
  /** Generated dates count from this time, in epoch milliseconds. */
  readonly now: number
  /** Whether examples of the document are ignored. */
  readonly isDynamic: boolean
}

/** Generated templates by the schema. Making one takes longer than the rest of a refusal. */
const generated = new WeakMap<Schema, Map<string, Promise<ErrorTemplate>>>()

/**
 * Of the alternatives of a schema that each have values of their own, such as a status and a type, that whose values fit an error best. A
 * schema with more than alternatives stays whole.
 */
function alternativeFor(schema: Schema, facts: ErrorFacts): Schema {
  if (schema.properties || schema.allOf) return schema
  const alternatives = [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])]
  const valuesIn = (one: Schema, name: string): readonly unknown[] =>
    listedValues(propertiesOf(one).get(name) ?? {})
  const names = new Set(alternatives.flatMap((one) => [...propertiesOf(one).keys()]))
  const closest = [...names].flatMap((name) => {
    const values = alternatives.flatMap((one) => valuesIn(one, name))
    const value = values.length > 1 ? closestMember(values, facts) : undefined
    return value === undefined ? [] : [{ name, value }]
  })
  const fitting = alternatives.map((one) => ({
    one,
    count: closest.filter(({ name, value }) => valuesIn(one, name).includes(value)).length,
  }))
  const [best] = fitting.sort((one, other) => other.count - one.count)

  return best && best.count > 0 ? best.one : schema
}

const NO_SCHEMA: Schema = {}

/** A documented example of an error, preferably one that names its status; else a generated value. */
function errorTemplate(
  media: MediaType,
  schema: Schema,
  options: TemplateOptions,
): Promise<ErrorTemplate> {
  const { status, isDynamic, seed, now } = options
  const isOwn = (value: unknown): boolean =>
    schema === (media.schema ?? schema) || matches(schema, value)
  const examples = isDynamic ? [] : validExamples(media).filter(isOwn)
  const example = examples.find((one) => JSON.stringify(one).includes(String(status)))
  const [first] = examples
  if (first !== undefined)
    return Promise.resolve({ value: structuredClone(example ?? first), isExample: true })
  const known = generated.get(schema) ?? new Map<string, Promise<ErrorTemplate>>()
  generated.set(schema, known)
  const key = `${now} ${seed}`
  const template = known.get(key) ?? generate({ ...media, schema }, options)
  known.set(key, template)

  return template.then((made) => ({ ...made, value: structuredClone(made.value) }))
}

const examplesOf = new WeakMap<MediaType, readonly unknown[]>()

function validExamples(media: MediaType): readonly unknown[] {
  const known = examplesOf.get(media)
  if (known) return known
  const valid = (media.examples ?? [])
    .map(({ value }) => validExample(value, media))
    .filter((value) => value !== undefined)
  examplesOf.set(media, valid)

  return valid
}

/** The value of an example. A text may be JSON. */
function validExample(value: unknown, { validate }: MediaType): unknown {
  const parsed = typeof value === 'string' ? parseJson(value) : undefined
  return [parsed, value].find((one) => one !== undefined && (validate?.(one) ?? isObject(one)))
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

async function generate(
  { schema = {}, validate }: MediaType,
  { seed, now }: TemplateOptions,
): Promise<ErrorTemplate> {
  const { value, isValid, reason } = await generateDocumentedValue({
    schema,
    seed,
    now,
    place: 'error',
    ...(validate && { validate }),
  })
  if (isValid) return { value, isExample: false }

  return {
    value: value ?? simpleObject(schema),
    isExample: false,
    reason: reason ?? 'no value matches its schema',
  }
}

/** An object with the texts and numbers that a schema names, where no value matches the schema; `undefined` without such. */
function simpleObject(schema: Schema): Readonly<Record<string, unknown>> | undefined {
  const entries = [...propertiesOf(schema)].flatMap(([name, property]): [string, unknown][] => {
    const [type] = withBranches(property).flatMap(({ type: own = [] }) => own)
    if (type === 'integer' || type === 'number') return [[name, 0]]
    return type === 'string' ? [[name, '']] : []
  })
  return entries.length === 0 ? undefined : Object.fromEntries(entries)
}
