import type { Schema } from '../../contract/contract.ts'
import { parseJsonText } from '../../contract/json.ts'
import { itemsOf, parsePointer, propertiesOf, schemaAt, typesIn } from '../../contract/schema.ts'
import type { JsonObject } from '../../document/json-value.ts'
import { generateValue } from '../../generate/generate-value.ts'
import { surelyMatches } from '../../generate/matches.ts'
import type { ResourceBinding } from '../../resources/bind.ts'
import { withValueAt } from '../../resources/views/record-body.ts'
import { isObject } from '../../validation/objects.ts'
import type { ProbeRequest } from '../messages.ts'
import { sentPlace, valueAt } from '../record-address.ts'
import { unguessableWord, wordsOf } from './unguessable.ts'
import { keyword, requiredOf, typeOf, withoutNull } from './values.ts'

/** Values for properties of a record, by their names. */
export type GivenValues = Readonly<Record<string, unknown>>

/** Letters of several scripts, an accent of its own, and a character of four bytes in UTF-8. */
const UNICODE = 'Žluťoučký 東京 e\u0301 🐎'

/** The most properties that get a value of a kind. */
const MAX_PROPERTIES = 30

/** A longer `maxLength` is not reached. */
const MAX_LENGTH = 10_000

/** Names of properties with references and codes, which a service may restrict more than the document says. */
const CODE =
  /(^|[^a-z])(ids?|slug|login|key|code|handle|user_?name|e-?mail|token|ur[il]|path|host(name)?|domain|phone|version|locale|lang(uage)?|country|currency|colou?r|sha|ref(erence)?|type|kind|format|time_?zone|ip|password|secret)$|I[dD]s?$|[a-z](Slug|Key|Code|Url|Uri|Path|Type|Version|Number)$|_number$/i

/** The names of texts by which a service may recognize a record, so that no two records may have the same. */
export const NAME: RegExp = /(name|title|label|subject)$/i

/** Every optional property has a value, texts, fractions, lists of texts and objects of these among them. */
export function fullValues(binding: ResourceBinding): GivenValues {
  return valuesOf(binding, (property, name) => {
    if (typeOf(property) === 'object') return fullObject(property)
    const items = typeOf(property) === 'array' ? itemsOf(property) : undefined
    const inner = items && typeOf(items) === 'object' ? fullObject(items) : undefined
    return inner ? [inner] : fullValue(property, name)
  })
}

function fullValue(property: Schema, name: string): unknown {
  const type = typeOf(property)
  if (type === 'string') return plainText(property, `${unguessableWord()} text`, name)
  if (type === 'number' || type === 'integer') return middleOf(property, type)
  if (type === 'boolean') return true
  return type === 'array' ? textsFor(property) : undefined
}

/** An object with values of all its plain properties; what else it requires is generated. */
function fullObject(schema: Schema): JsonObject | undefined {
  const generated = generateValue({ schema, seed: unguessableWord(), now: 0 }, { isSmall: true })
  if (!generated.isValid || !isObject(generated.value)) return undefined
  const plain = [...propertiesOf(schema)]
    .slice(0, MAX_PROPERTIES)
    .filter(([name, property]) => isPlain(name, property) && !property.readOnly)
    .flatMap(([name, property]) => {
      const value = fullValue(property, name)
      return value === undefined ? [] : [[name, value] as const]
    })
  return { ...generated.value, ...Object.fromEntries(plain) }
}

/** The properties that a record may lack. */
export function optionalNames(binding: ResourceBinding): ReadonlySet<string> {
  const schema = recordSchema(binding)
  const required = new Set(requiredOf(schema))
  return new Set([...propertiesOf(schema).keys()].filter((name) => !required.has(name)))
}

/** Lists without items, and null where the schema allows it. */
export function emptyValues(binding: ResourceBinding): GivenValues {
  const required = new Set(requiredOf(recordSchema(binding)))
  return valuesOf(
    binding,
    (property, name) => {
      if (required.has(name)) return undefined
      if (isNullable(property)) return null
      return typeOf(property) === 'array' && (keyword(property, 'minItems') ?? 0) === 0
        ? []
        : undefined
    },
    (_name, property) => isNullable(property),
  )
}

export function isNullable(property: Schema): boolean {
  return surelyMatches(property, null) && typesIn(property).size > 0
}

/** Whether a property takes any value of its type, as far as its schema and its name say. */
function isPlain(name: string, property: Schema): boolean {
  const isRestricted = ['enum', 'const', 'format', 'pattern'].some(
    (one) => keyword(property, one as 'enum') !== undefined,
  )
  const type = typeOf(property) ?? ''
  const isNumber = ['integer', 'number'].includes(type)
  // A flag such as `valid` is no id.
  return (type === 'boolean' || !CODE.test(name)) && (!isRestricted || isNumber)
}

/** Values after which a service may not allow further changes, or a removal, and properties that exactly one record has. */
const FINAL =
  /archiv|delet|remov|lock|clos|cancel|final|done|complet|paid|hidden|disabl|inactiv|protect|froz|suspend|block|ban|reject|expir|publish|default|primary|main|current/i
/** Properties whose values follow each other in an order that the document does not state. */
const STATE = /^(status|state|phase|stage|step)$|(_status|_state|Status|State)$/

/** Other values of enums, and of true and false, than a record has; those of a state only when they are wanted. */
export function choicesFor(
  binding: ResourceBinding,
  record: JsonObject,
  hasStates = true,
): GivenValues {
  return valuesOf(binding, (property, name) => {
    if (FINAL.test(name) || (!hasStates && STATE.test(name))) return undefined
    const members = keyword(property, 'enum')
    if (members) {
      const others = members.filter((one) => one !== record[name] && typeof one === 'string')
      return others.find((one) => !FINAL.test(String(one)))
    }
    return typeOf(property) === 'boolean' ? record[name] !== true : undefined
  })
}

/** Texts with letters of several scripts, `false`, and the smallest numbers: what programs lose most often. */
export function unusualValues(binding: ResourceBinding): GivenValues {
  return valuesOf(binding, (property, name) => {
    const type = typeOf(property)
    if (type === 'string') {
      const unique = NAME.test(name) ? ` ${unguessableWord()}` : ''
      return plainText(property, UNICODE + unique, name)
    }
    if (type === 'boolean') return false
    return type === 'object' ? objectWithZeros(property) : zeroFor(property)
  })
}

/** Zero, where the limits of a number have it between them. */
function zeroFor(property: Schema): number | undefined {
  const isNumber = ['integer', 'number'].includes(typeOf(property) ?? '')
  const [minimum, maximum = 0] = [keyword(property, 'minimum'), keyword(property, 'maximum')]
  return isNumber && minimum !== undefined && minimum <= 0 && maximum >= 0 ? 0 : undefined
}

function objectWithZeros(schema: Schema): JsonObject | undefined {
  const zeros = [...propertiesOf(schema)].flatMap(([name, property]) => {
    const zero = zeroFor(property)
    return zero === undefined ? [] : [[name, zero] as const]
  })
  const full = zeros.length > 0 ? fullObject(schema) : undefined
  return full && { ...full, ...Object.fromEntries(zeros) }
}

/** Numbers that {@link fullValues} does not have: a little less, so that two of them stay in their order, or else more. */
export function otherNumbers(binding: ResourceBinding): GivenValues {
  return valuesOf(binding, (property, name) => {
    const usual = fullValue(property, name)
    if (typeof usual !== 'number' || keyword(property, 'enum')) return undefined
    const step = keyword(property, 'multipleOf') ?? 1
    const others = [usual - step, usual + step].map((one) => Number(one.toFixed(6)))
    return others.find((one) => one !== 0 && surelyMatches(withoutNull(property), one))
  })
}

/** What a description says of the values of a property: whether they are kept as they are sent. */
export interface ExactValues {
  /** Whether numbers are not rounded. */
  readonly isUnrounded: (name: string) => boolean
  /** Whether lists keep their order. */
  readonly isOrdered: (name: string) => boolean
  /** Whether values are kept as they are: lists with what they have twice, and addresses with their capitals. */
  readonly isKept: (name: string) => boolean
}

/** Numbers with many digits, lists in no order, one item of which is there twice, and addresses with capitals, where these are kept as they are sent. */
export function exactValues(binding: ResourceBinding, exact: ExactValues): GivenValues {
  const fractionOf = (property: Schema, name: string, usual: number): number | undefined => {
    const fraction = Math.floor(usual) + SMALL
    const isTaken = typeOf(property) === 'number' && surelyMatches(withoutNull(property), fraction)
    return isTaken && exact.isUnrounded(name) ? fraction : undefined
  }
  return valuesOf(
    binding,
    (property, name) => {
      if (hasForm(name, property)) return exact.isKept(name) ? unusualForm(property) : undefined
      const usual = fullValue(property, name)
      if (typeof usual === 'number') return fractionOf(property, name, usual)
      if (!Array.isArray(usual) || !exact.isOrdered(name)) return undefined
      const lists = exact.isKept(name) ? [[...usual, usual[0]], usual] : [usual]
      return lists.find((list) => list.length > 1 && surelyMatches(withoutNull(property), list))
    },
    hasForm,
  )
}

function hasForm(name: string, property: Schema): boolean {
  return keyword(property, 'format') === 'email' || isTextOfForm(name, property)
}

/** An address with capitals, or a text of a form with blanks and hyphens. */
function unusualForm(property: Schema): string | undefined {
  return keyword(property, 'format') === 'email' ? capitalAddress() : separated(property)
}

/** The names of texts that have a form also where no pattern says so. */
const USUAL_FORM =
  /(^|[^a-z])(phone|colou?r|version|country|currency)$|[a-z](Phone|Colou?r|Version|Country|Currency)$/i

/** Whether a text has a form that its pattern or its name says, and no format, such as a phone number. */
export function isTextOfForm(name: string, property: Schema): boolean {
  const [format, members] = [keyword(property, 'format'), keyword(property, 'enum')]
  if (format !== undefined) return false
  const isUsual = USUAL_FORM.test(name) && typeOf(property) === 'string' && members === undefined
  return isUsual || keyword(property, 'pattern') !== undefined
}

/** A text of a form with blanks and hyphens inside, where the form allows them. */
function separated(property: Schema): string | undefined {
  const { default: _, ...schema } = withoutNull(property)
  const { isValid, value } = generateValue({ schema, seed: unguessableWord(), now: 0 })
  if (!isValid || typeof value !== 'string') return undefined
  const [start, middle, end] = [value.slice(0, 3), value.slice(3, 5), value.slice(5)]
  const forms = [' -', ' ', '-'].map((marks) => {
    const [first = '', last = first] = marks
    return `${start}${first}${middle}${last}${end}`
  })
  return forms.find((one) => surelyMatches(schema, one))
}

function capitalAddress(): string {
  return `${unguessableWord().replace('v', 'V')}@Example.com`
}

/** A fraction of six digits, which a number has exactly also where it is stored in 32 bits. */
const SMALL = 1 / 64

/** Texts with characters that have a meaning in HTML, which some services store as entities, or without them. */
export function markupValues(binding: ResourceBinding): GivenValues {
  return valuesOf(binding, (property, name) => {
    const isText = typeOf(property) === 'string' && !isMarkup(property, name)
    return isText ? plainText(property, `${MARKUP} ${unguessableWord()}`, name) : undefined
  })
}

const MARKUP = `"A" & 'B' <3`

/** Texts that begin and end with a blank, and have two blanks inside. */
export function blankValues(binding: ResourceBinding): GivenValues {
  return valuesOf(binding, (property, name) => {
    const { minLength = 0, maxLength = Number.POSITIVE_INFINITY } = withoutNull(property)
    if (typeOf(property) !== 'string') return undefined
    const texts = [` ${unguessableWord()}  text `, ...(NAME.test(name) ? [] : [' a  text '])]
    return texts.find((text) => text.length >= minLength && text.length <= maxLength)
  })
}

/** Empty texts for properties that a record may lack, and whose schemas and names allow any text. */
export function emptyTexts(binding: ResourceBinding): GivenValues {
  const required = new Set(requiredOf(recordSchema(binding)))
  return valuesOf(binding, (property, name) => {
    const isText = typeOf(property) === 'string' && !NAME.test(name) && !required.has(name)
    return isText && (keyword(property, 'minLength') ?? 0) === 0 ? '' : undefined
  })
}

/** Whether a text is HTML or the like, of which a service may keep only what is harmless. */
function isMarkup({ description = '', contentMediaType }: Schema, name: string): boolean {
  return contentMediaType !== undefined || /html|markdown|markup|xml/i.test(name + description)
}

/** The largest values that the schemas of properties allow, and the last ones of enums. */
export function largestValues(binding: ResourceBinding): GivenValues {
  return valuesOf(binding, (property) => {
    const members = keyword(property, 'enum')
    if (members) return members.at(-1)
    const type = typeOf(property)
    if (type === 'string') return textOfLength(property, keyword(property, 'maxLength'))
    return type === 'number' || type === 'integer' ? keyword(property, 'maximum') : undefined
  })
}

/** The smallest values that the schemas of properties allow, and the first ones of enums. */
export function smallestValues(binding: ResourceBinding): GivenValues {
  return valuesOf(binding, (property) => {
    const members = keyword(property, 'enum')
    if (members) return members[0]
    const type = typeOf(property)
    if (type === 'string') return textOfLength(property, keyword(property, 'minLength'))
    return type === 'number' || type === 'integer' ? keyword(property, 'minimum') : undefined
  })
}

/**
 * The request with values in its record. One that makes the body invalid is left out, and so is one without which a response to a
 * creation would not show that the record is new.
 */
export function withValues(
  request: ProbeRequest,
  binding: ResourceBinding,
  values: GivenValues,
): ProbeRequest {
  const { operation } = binding
  const place = parsePointer(sentPlace(binding))
  let body = parseJsonText(request.body ?? '')
  const record = valueAt(body, sentPlace(binding))
  if (!isObject(record) || !operation.body) return request
  for (const [name, value] of Object.entries(values)) {
    const changed = withValueAt(body, [...place, name], value)
    const isMarked = hasWord(changed) || !hasWord(body) || statesNew(operation)
    if (isMarked && operation.body.validate(changed)) body = changed
  }
  return { ...request, body: JSON.stringify(body) }
}

function hasWord(body: unknown): boolean {
  return wordsOf(JSON.stringify(body) ?? '').length > 0
}

/** Whether responses to an operation tell a new record from an older one by their status. */
function statesNew({ method, responses }: ResourceBinding['operation']): boolean {
  return method !== 'POST' || responses.some(({ status }) => status === 201)
}

/**
 * The request with one property in its record: a text or a number with another value than before, or else any. `late` are properties that
 * are taken only when there are no others.
 */
export function oneValueOf(
  request: ProbeRequest,
  binding: ResourceBinding,
  late: ReadonlySet<string> = new Set(),
): ProbeRequest {
  const { operation } = binding
  const place = parsePointer(sentPlace(binding))
  const body = parseJsonText(request.body ?? '')
  const required = new Set(requiredOf(recordSchema(binding)))
  const record = valueAt(body, sentPlace(binding))
  const kept = isObject(record)
    ? Object.fromEntries(Object.entries(record).filter(([name]) => required.has(name)))
    : {}
  const values = Object.entries(fullValues(binding)).reverse()
  const isLate = ([name]: readonly [string, unknown]): boolean => late.has(name)
  const sorted = [...values.filter((one) => !isLate(one)), ...values.filter(isLate)]
  const isPlain = ([, value]: readonly [string, unknown]): boolean =>
    typeof value === 'string' || typeof value === 'number'
  for (const [name, value] of [...sorted.filter(isPlain), ...sorted]) {
    const changed = withValueAt(body, place, { ...kept, [name]: value })
    if (operation.body?.validate(changed)) return { ...request, body: JSON.stringify(changed) }
  }
  return request
}

/** The defaults of properties that an operation need not have, as plain values. */
export function presetsOf(binding: ResourceBinding): readonly (readonly [string, unknown])[] {
  const schema = recordSchema(binding)
  const required = new Set(requiredOf(schema))
  return [...propertiesOf(schema)].flatMap(([name, property]) => {
    const preset = keyword(property, 'default')
    const isOptional = preset !== undefined && preset !== null && !isObject(preset)
    return isOptional && !required.has(name) && !property.readOnly ? [[name, preset] as const] : []
  })
}

/** Values for a new record that are not the defaults, and values of its e-mail addresses. */
export function otherThan(
  presets: readonly (readonly [string, unknown])[],
  binding: ResourceBinding,
): GivenValues {
  const properties = propertiesOf(recordSchema(binding))
  const required = new Set(requiredOf(recordSchema(binding)))
  const others = presets.flatMap(([name, preset]) => {
    const property = properties.get(name)
    const member = property && keyword(property, 'enum')?.find((one) => one !== preset)
    const value = typeof preset === 'boolean' ? !preset : member
    return value === undefined ? [] : [[name, value] as const]
  })
  const addresses = [...properties].flatMap(([name, property]) =>
    keyword(property, 'format') === 'email' && !required.has(name)
      ? [[name, `${unguessableWord()}@example.com`] as const]
      : [],
  )
  return Object.fromEntries([...others, ...addresses])
}

/** The request with nothing in its record but what the document requires, and these values. */
export function requiredOnly(
  request: ProbeRequest,
  binding: ResourceBinding,
  values: GivenValues = {},
): ProbeRequest {
  const body = parseJsonText(request.body ?? '')
  const record = valueAt(body, sentPlace(binding))
  const required = new Set(requiredOf(recordSchema(binding)))
  if (!isObject(record)) return request
  const kept = Object.fromEntries(Object.entries(record).filter(([name]) => required.has(name)))
  const changed = withValueAt(body, parsePointer(sentPlace(binding)), { ...kept, ...values })
  return binding.operation.body?.validate(changed)
    ? { ...request, body: JSON.stringify(changed) }
    : request
}

export function recordSchema(binding: ResourceBinding): Schema {
  const { body } = binding.operation
  return (body && schemaAt(body.schema, sentPlace(binding))) ?? {}
}

export function valuesOf(
  binding: ResourceBinding,
  valueFor: (property: Schema, name: string) => unknown,
  isAlso: (name: string, property: Schema) => boolean = () => false,
): GivenValues {
  const { resource, hints } = binding
  const own = [resource.id, hints.id, hints.sentId, ...Object.keys(hints.views ?? {})]
  const properties = [...propertiesOf(recordSchema(binding))].filter(
    ([name, property]) => !(property.readOnly || own.includes(name) || resource.hidden.has(name)),
  )
  const entries = properties.slice(0, MAX_PROPERTIES).flatMap(([name, property]) => {
    const isListed = keyword(property, 'enum') !== undefined
    if (!(isListed || isPlain(name, property) || isAlso(name, property))) return []
    const value = valueFor(property, name)
    if (isListed && !keyword(property, 'enum')?.includes(value)) return []
    return value === undefined ? [] : [[name, value] as const]
  })
  return Object.fromEntries(entries)
}

function plainText(
  { maxLength = 200, minLength = 0 }: Schema,
  text: string,
  name: string,
): string | undefined {
  const cut = [...text].slice(0, maxLength).join('').trim()
  // A name that is cut may be that of another record.
  if (cut.length < text.length && NAME.test(name)) return undefined
  return cut.length < minLength ? undefined : cut
}

/** A text that no other record has, if it is long enough. */
function textOfLength(
  { maxLength = MAX_LENGTH }: Schema,
  length: number | undefined,
): string | undefined {
  if (length === undefined || length === 0 || length >= MAX_LENGTH || length > maxLength)
    return undefined
  const word = unguessableWord().replace('-', '')
  const start = length < word.length ? word.slice(-length) : word

  return start.padEnd(length, 'x')
}

/** A number between the limits of a property: one with a fraction, if it may have one, and one that rounding would change. */
function middleOf(property: Schema, type: 'number' | 'integer'): number | undefined {
  const { minimum = 0, maximum = minimum + 1000, multipleOf = 1 } = withoutNull(property)
  const whole = Math.floor(minimum + Math.min(maximum - minimum, 1000) * 0.617)
  const steps = Math.floor(whole / multipleOf)
  const multiples = [1, 0, 2].map((more) => Number(((steps + more) * multipleOf).toFixed(6)))
  const fractions = keyword(property, 'multipleOf') === undefined ? [whole + 0.25] : multiples
  const values = type === 'number' ? [...fractions, ...multiples] : multiples.slice(1)
  const allowed = values.filter((one) => surelyMatches(withoutNull(property), one))

  return allowed.find((one) => !Number.isInteger(one)) ?? allowed[0]
}

/** Two texts of a form, in the opposite order of the alphabet. */
function textsOfForm(property: Schema, items: Schema): readonly unknown[] | undefined {
  const texts = Array.from({ length: 2 }, () =>
    generateValue({ schema: items, seed: unguessableWord(), now: 0 }, { hasExamples: false }),
  )
  const values = texts
    .map(({ value }) => String(value))
    .toSorted()
    .reverse()
  const isValid = values[0] !== values[1] && surelyMatches(withoutNull(property), values)
  return isValid ? values : undefined
}

function textsFor(property: Schema): readonly unknown[] | undefined {
  const items = itemsOf(property)
  const [member] = (items && keyword(items, 'enum')) ?? []
  if (member !== undefined && surelyMatches(withoutNull(property), [member])) return [member]
  if (items && typeOf(items) === 'string' && keyword(items, 'pattern') !== undefined)
    return textsOfForm(property, items)
  const isFree =
    items !== undefined &&
    typeOf(items) === 'string' &&
    ['enum', 'const', 'format', 'pattern'].every(
      (one) => keyword(items, one as 'enum') === undefined,
    )
  return isFree ? ['verify-two', 'verify-One'] : undefined
}
