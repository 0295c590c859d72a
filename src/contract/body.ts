import { MAX_BODY_DEPTH, sizeOfJson, ValueLimit } from '../http/body-limits.ts'
import type { CoreRequest } from '../http/message.ts'
import { asProblem, type InputError, type Problem, problems } from '../http/problem.ts'
import { type Awaitable, whenKnown } from '../records/awaitable.ts'
import { roundedValue } from '../validation/large-integers.ts'
import {
  bytesToString,
  chooseContent,
  contentOfBody,
  decodeText,
  inexactError,
  mediaTypeProblem,
  parseContentType,
  type SentType,
} from './body-content.ts'
import { nearestErrors } from './branch-errors.ts'
import type {
  MediaType,
  Operation,
  RequestBody,
  Schema,
  SchemaValidator,
  ValidationError,
  ValidationTime,
} from './contract.ts'
import { createFormSource, formNode, parsePairs } from './form.ts'
import type { SentFile } from './input.ts'
import {
  carryLargeIntegers,
  type FoundNumber,
  findInexactNumber,
  invalidBody,
  isJson,
  isSequenceType,
  parseJson,
} from './json.ts'
import {
  type Branches,
  branchesOf,
  itemBranches,
  objectNode,
  type Preference,
  type TextNode,
  type Typing,
  textNode,
  typedValue,
  typesOf,
} from './meanings.ts'
import { type NormalizeOptions, normalize } from './normalize.ts'
import { meanings, type ReadValue } from './parameters.ts'
import { isValidIn } from './schema.ts'
import { MAX_INPUT_ERRORS, toInputErrors } from './validation-errors.ts'

/** How a body is read. */
interface BodyOptions extends NormalizeOptions {
  /** The size limit in bytes. */
  readonly limit: number
  /** What the validations of the request took until now. */
  readonly time: ValidationTime
  /** Called with the bytes when they have arrived. */
  readonly onBytes: (bytes: Uint8Array) => void
  /** Called with each file of a form, or with the body that is one. */
  readonly onFile: (file: SentFile) => void
  /** Called with a problem of a body that is served all the same. Throws the problem of one that is refused. */
  readonly onProblem: (problem: Problem) => void
}

/** Bodies of these methods have no general meaning (RFC 9110, section 9.3), and many clients cannot send them. */
const NEVER_REQUIRED: ReadonlySet<string> = new Set(['GET', 'HEAD', 'DELETE'])

/** The value of the body of a request by its media type. */
export async function readBodyValue(
  { method }: Operation,
  body: RequestBody,
  request: CoreRequest,
  options: BodyOptions,
): Promise<unknown> {
  const sent = request.header('content-type')
  const type = parseContentType(sent ?? '')
  const content = sent === undefined ? undefined : chooseContent(contentOfBody(body), type)
  const problem = mediaTypeProblem(body, request, type, content)
  const isRequired = body.required && !NEVER_REQUIRED.has(method)
  // A client without a body may send any Content-Type, or none.
  const isEarly = isRequired && sent !== undefined
  if (problem && isEarly) options.onProblem(problem)
  const bytes = await request.body(options.limit)
  if (!bytes) throw problems.payloadTooLarge(options.limit)
  options.onBytes(bytes)
  if (bytes.length === 0) {
    if (isRequired) options.onProblem(problems.invalidInput([MISSING]))
    return undefined
  }
  if (problem && !isEarly) options.onProblem(problem)
  try {
    const value = valueOfBytes({ bytes, type, content: content ?? type }, options)
    return value instanceof Promise ? await value : value
  } catch (error) {
    options.onProblem(asProblem(error))
    return undefined
  }
}

function valueOfBytes(sent: SentBody, options: BodyOptions): Awaitable<unknown> {
  return whenKnown(bodyMeanings(sent, options), (found) => {
    const { value, errors } = validBody(found, sent.content, options)
    if (errors.length > 0) options.onProblem(problems.invalidInput(errors))
    return value
  })
}

const MISSING: InputError = { location: 'body', keyword: 'required', message: 'is required' }

/** A body, and the documented content for its media type. */
interface SentBody {
  readonly bytes: Uint8Array
  readonly type: SentType
  readonly content: MediaType
}

/** What a body means. */
interface BodyMeanings {
  /** All values that it may mean, the most probable one first. */
  readonly values: Iterable<unknown>
  /** `bytes`: only the length is checked. `any`: the content is in a form that the sandbox does not read. */
  readonly checked?: 'bytes' | 'any'
}

const JSON_PATCH = /^application\/json-patch\+json$/

/** The most fields that a form may have. */
const MAX_FIELDS = 10_000

/**
 * The possible values of a body by its media type. Throws a 400 when it cannot be parsed, and a 413 for too many values.
 */
function bodyMeanings(
  body: SentBody,
  { limit: bodyLimit, onFile }: Pick<BodyOptions, 'limit' | 'onFile'>,
): Awaitable<BodyMeanings> {
  const { bytes, content } = body
  const { mediaType, parameters } = body.type
  const { schema = {} } = content
  const limit = ValueLimit.ofBody(bodyLimit)
  if (isJson(mediaType)) {
    const values = [parseJson(bytes, limit)]
    // Some documents describe a JSON Patch as an object. It is a list of operations (RFC 6902, section 3).
    const isUndescribed =
      JSON_PATCH.test(mediaType) &&
      Array.isArray(values[0]) &&
      !typesOf(branchesOf(schema)).has('array')
    return isUndescribed ? { values, checked: 'any' } : { values }
  }
  if (isSequenceType(mediaType)) return { values: [parseSequence(bytes, limit)] }
  const branches = branchesOf(schema)
  if (mediaType === 'application/x-www-form-urlencoded') {
    const text = decodeText(bytes)
    const { values } = fromNode(formOf(text, content, schema, limit), branches, limit)
    // Some documents describe a form as one text.
    return { values: typesOf(branches).has('string') ? [...values, text] : values }
  }
  if (mediaType === 'multipart/form-data') {
    return import('./multipart.ts').then(({ multipartNode }) =>
      fromNode(
        multipartNode(bytes, parameters.get('boundary'), content, limit, onFile),
        branches,
        limit,
      ),
    )
  }
  if (/[/+]xml$/.test(mediaType)) {
    return import('./xml.ts').then(({ xmlMeanings }) => {
      const text = decodeText(bytes, parameters.get('charset'))
      return { values: xmlMeanings(text, content.schema, ValueLimit.ofXml(bodyLimit)) }
    })
  }
  if (mediaType === 'text/csv' && typesOf(branches).has('array')) {
    return { values: csvMeanings(decodeText(bytes, parameters.get('charset')), branches, limit) }
  }
  if (mediaType.startsWith('text/')) {
    return textMeanings(decodeText(bytes, parameters.get('charset')), branches, limit)
  }
  onFile({ mediaType, bytes })
  return binaryMeanings(bytes, branches)
}

function fromNode(node: TextNode, branches: Branches, limit: ValueLimit): BodyMeanings {
  return { values: meanings(node, branches, limit) }
}

function formOf(
  text: string,
  { encoding }: MediaType,
  schema: Schema,
  limit: ValueLimit,
): TextNode {
  const pairs = parsePairs(text, /&/, MAX_FIELDS + 1)
  if (pairs.length > MAX_FIELDS) throw invalidBody(`must have at most ${MAX_FIELDS} fields`)
  return formNode(schema, createFormSource(pairs, []), limit, encoding)
}

/** A text is validated as what its schema allows. Where that is no simple value, the text is in a form that is not read. */
function textMeanings(text: string, branches: Branches, limit: ValueLimit): BodyMeanings {
  const types = typesOf(branches)
  const isSimple = types.size === 0 || [...types].some((type) => !/^(object|array)$/.test(type))
  return isSimple ? fromNode(textNode([text]), branches, limit) : { values: [text], checked: 'any' }
}

/** Bytes as a string: UTF-8 text as it is, other bytes as one character each. */
function binaryMeanings(bytes: Uint8Array, branches: Branches): BodyMeanings {
  const types = typesOf(branches)
  return {
    values: [bytesToString(bytes)],
    checked: types.size === 0 || types.has('string') ? 'bytes' : 'any',
  }
}

/** The first meaning of a body that its schema allows, without unknown properties and with defaults, as the options say. */
export function validBody(
  { values, checked }: BodyMeanings,
  { schema, validate: validateIn, isSequence }: MediaType,
  options: NormalizeOptions & { readonly time?: ValidationTime },
): ReadValue {
  const validate = validateIn && withinTime(validateIn, options.time)
  let failed: ReadValue | undefined
  for (const value of values) {
    if (checked === 'any' || !schema || !validate) return checkedBytes(value, {})
    if (checked === 'bytes') return checkedBytes(value, schema)
    const read = isSequence
      ? validItems(value, schema, validate, options)
      : validValue(value, 'body', { schema, validate }, options)
    if (read.errors.length === 0) return read
    failed ??= read
  }
  return failed ?? { errors: [] }
}

/** A validator whose calls share the time of the request. */
function withinTime(
  validate: SchemaValidator,
  time: ValidationTime = { used: 0 },
): SchemaValidator {
  const timed: SchemaValidator = (value) => {
    const isValid = isValidIn(time, validate, value)
    timed.errors = validate.errors ?? null
    return isValid
  }
  return timed
}

function validItems(
  values: unknown,
  schema: Schema,
  validate: SchemaValidator,
  options: NormalizeOptions,
): ReadValue {
  const errors: InputError[] = []
  const value = [values].flat().map((item, index) => {
    const location = `body[${index}]`
    if (errors.length > MAX_INPUT_ERRORS) return normalize(schema, item, location, options)
    const read = validValue(item, location, { schema, validate }, options)
    errors.push(...read.errors)
    return read.value
  })
  return { value, errors }
}

interface Checked {
  readonly schema: Schema
  readonly validate: SchemaValidator
}

/**
 * The value with the defaults of its missing properties. A default that its own schema does not allow is left out, because it is a
 * mistake of the document and not of the client.
 */
function validValue(
  value: unknown,
  location: string,
  { schema, validate }: Checked,
  options: NormalizeOptions,
): ReadValue {
  const complete = normalize(schema, value, location, options)
  const inexact = findInexactNumber(complete)
  if (inexact) return carriedValue(complete, location, inexact, { schema, validate }, options)
  if (validate(complete)) return { value: complete, errors: [] }
  const errors = errorsOf({ schema, validate }, complete, location)
  // A validation that reached its time limit takes as long again.
  const isSlow = errors.some(({ keyword }) => keyword === 'time')
  if (!options.useDefaults || isSlow || errors.length === 0) return { value: complete, errors }

  // The removed properties were reported with the first call.
  const again = { ...options, ...(options.onRemove && { onRemove: () => undefined }) }
  const bare = normalize(schema, value, location, { ...again, useDefaults: false })
  const invalid = new Set(errors.flatMap((error) => placesAround(error.location)))
  const isMissing = !validate(bare)
  const useDefault = (place: string): boolean => !invalid.has(place)
  const corrected = normalize(schema, value, location, { ...again, useDefault })
  if (validate(corrected)) return { value: corrected, errors: [] }
  if (!isMissing) return { value: bare, errors: [] }
  validate(corrected)

  return { value: corrected, errors: errorsOf({ schema, validate }, corrected, location) }
}

/**
 * Why a value is not valid. One that matches several alternatives of a `oneOf` is taken: documents often have alternatives that share
 * values, and no service refuses what it understands in two ways.
 */
function errorsOf(
  { schema, validate }: Checked,
  value: unknown,
  location: string,
): readonly InputError[] {
  const found = validate.errors ?? []
  return found.length > 0 && found.every(isAmbiguous)
    ? []
    : toInputErrors(location, nearestErrors(found, schema, value))
}

function isAmbiguous({ keyword, params }: ValidationError): boolean {
  return keyword === 'oneOf' && Array.isArray(params.passingSchemas)
}

/** A value with numbers that JavaScript does not hold exactly: valid if the nearest numbers are, and all of them are integers. */
function carriedValue(
  value: unknown,
  location: string,
  inexact: FoundNumber,
  checked: Checked,
  options: NormalizeOptions,
): ReadValue {
  const carried = options.onLargeInteger ? carryLargeIntegers(value) : value
  const refused = options.onLargeInteger ? findInexactNumber(carried) : inexact
  if (refused) return { value, errors: [inexactError(location, refused)] }
  const { errors } = validValue(roundedValue(carried), location, checked, options)
  if (errors.length === 0) options.onLargeInteger?.()

  return { value: carried, errors }
}

/** The location of a value, and those of all values that it is in. */
function placesAround(location: string): readonly string[] {
  const ends = [...location.matchAll(/[.[]/g)].slice(0, MAX_BODY_DEPTH).map(({ index }) => index)
  return [location, ...ends.map((end) => location.slice(0, end))]
}

/** Of bytes, only the length is checked. */
function checkedBytes(value: unknown, { minLength, maxLength }: Schema): ReadValue {
  const length = typeof value === 'string' ? value.length : 0
  const errors: InputError[] = []
  if (minLength !== undefined && length < minLength) {
    errors.push({
      location: 'body',
      keyword: 'minLength',
      message: `must have at least ${minLength} bytes`,
    })
  }
  if (maxLength !== undefined && length > maxLength) {
    errors.push({
      location: 'body',
      keyword: 'maxLength',
      message: `must have at most ${maxLength} bytes`,
    })
  }
  return { value, errors }
}

/** The values of a sequence, one on each line or after each record separator (RFC 7464). Throws a 400 that names the item. */
function parseSequence(bytes: Uint8Array, limit: ValueLimit): readonly unknown[] {
  const values: unknown[] = []
  // Many values are refused before the first line is parsed.
  const { left } = limit
  limit
    .copy()
    .count(
      sizeOfJson(bytesToString(bytes), { levels: Number.POSITIVE_INFINITY, values: left }).values,
    )
  for (const line of linesOf(bytes, limit)) {
    try {
      values.push(parseJson(line, limit))
    } catch (error) {
      const problem = asProblem(error)
      if (problem.status !== 400) throw problem
      const location = `body[${values.length}]`
      throw problems.invalidInput(problem.errors.map(({ message }) => ({ location, message })))
    }
  }
  return values
}

const LINE_FEED = 0x0a
const RECORD_SEPARATOR = 0x1e
const WHITE_SPACE: ReadonlySet<number> = new Set([0x20, 0x09, 0x0d, LINE_FEED])

/** The parts between separators that are not empty. Where there are record separators, a line feed is part of a value. */
function linesOf(bytes: Uint8Array, limit: ValueLimit): readonly Uint8Array[] {
  const separator = bytes.includes(RECORD_SEPARATOR) ? RECORD_SEPARATOR : LINE_FEED
  const lines: Uint8Array[] = []
  let start = 0
  while (start < bytes.length) {
    const found = bytes.indexOf(separator, start)
    const end = found === -1 ? bytes.length : found
    const line = bytes.subarray(start, end)
    if (!line.every((byte) => WHITE_SPACE.has(byte))) {
      limit.count(1)
      lines.push(line)
    }
    start = end + 1
  }
  return lines
}

type Row = readonly string[]

/**
 * The possible values of a CSV text: the records as objects by the names in its first line. A record has only the columns that its
 * line has. Throws a 400 for a text that is not CSV, and a 413 for too many values.
 */
function* csvMeanings(
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
