import type {
  MediaType,
  Operation,
  Parameter,
  RequestBody,
  Schema,
  SchemaValidator,
} from '../contract/contract.ts'
import { isJson, parseJsonText } from '../contract/json.ts'
import { parseText } from '../contract/parse-text.ts'
import { withBranches } from '../contract/schema.ts'
import { ValueLimit } from '../http/body-limits.ts'
import { getOwn } from '../validation/objects.ts'
import { isWritable, isXml, type SerializedBody, serializeBody } from './serialize-body.ts'
import {
  headerText,
  pathText,
  queryPairs,
  type TextPair,
  wholeQuery,
} from './serialize-parameter.ts'

/** Valid values for everything that an operation requires, in the form in which requests have them. */
export interface OperationInput {
  /** The texts of the path parameters by name, percent-encoded. */
  readonly path: ReadonlyMap<string, string>
  /** The pairs of each required parameter, percent-encoded. */
  readonly query: ReadonlyMap<string, readonly TextPair[]>
  readonly headers: ReadonlyMap<string, string>
  readonly cookies: ReadonlyMap<string, string>
  readonly body?: BodyInput
  /** What the operation requires, and no valid value was found for. */
  readonly missing?: string
}

/** A valid body of an operation. */
interface BodyInput extends SerializedBody {
  readonly value: unknown
  readonly media: MediaType
}

/** Values that are given for a request. Parameters by their names, also optional ones. */
export interface GivenInput {
  readonly parameters?: Readonly<Record<string, unknown>>
  readonly body?: unknown
}

export interface InputOptions {
  /** Values that are taken as they are, instead of examples and generated ones. Default: none. */
  readonly given?: GivenInput | undefined
  /** The id of a record for a path parameter, below the records that the parameters before it name. Default: none. */
  readonly idFor?: (
    parameter: string,
    known: Readonly<Record<string, string>>,
  ) => Promise<string | undefined>
  /** Whether generated values have only what their schemas require. Default: `false`. */
  readonly isSmall?: boolean
}

/** Finds a valid value for everything that an operation requires: an example of the document, else a generated value. */
export async function findInput(
  operation: Operation,
  options: InputOptions = {},
): Promise<OperationInput> {
  const values = await findValues(operation, options)
  const body = givenBody(operation, options.given) ?? (await findBody(operation, options.isSmall))
  const [absent] = [...values].find(([, value]) => value === undefined) ?? []
  const missing = absent ? `the ${absent.in} parameter ${absent.name}` : body
  const textsOf = <Text>(
    location: Parameter['in'],
    write: (parameter: Parameter, value: unknown) => Text,
  ): ReadonlyMap<string, Text> => {
    const found = [...values].filter(([one, value]) => one.in === location && value !== undefined)
    return new Map(found.map(([one, value]) => [one.name, write(one, value)]))
  }
  return {
    path: textsOf('path', pathText),
    query: new Map([...textsOf('query', queryPairs), ...textsOf('querystring', wholeQuery)]),
    headers: textsOf('header', headerText),
    cookies: textsOf('cookie', headerText),
    ...(typeof body === 'object' && { body }),
    ...(typeof missing === 'string' && { missing }),
  }
}

async function findValues(
  operation: Operation,
  { idFor, isSmall, given: { parameters: given = {} } = {} }: InputOptions,
): Promise<ReadonlyMap<Parameter, unknown>> {
  const values = new Map<Parameter, unknown>()
  const inPath: Record<string, string> = {}
  const required = requiredParameters(operation)
  const optional = operation.parameters.filter(
    (one) => Object.hasOwn(given, one.name) && !required.includes(one),
  )
  for (const parameter of [...required, ...optional]) {
    const { name, in: location } = parameter
    const id = location === 'path' ? await idFor?.(name, inPath) : undefined
    const value = getOwn(given, name) ?? id ?? (await parameterValue(parameter, isSmall))
    values.set(parameter, value)
    if (location === 'path' && value !== undefined) inPath[name] = String(value)
  }
  orderDates(values, given)
  return values
}

/** What the start and the end of a time are called. */
export const STARTS: RegExp =
  /^(starts?|from|begins?|opens?|check_?in|arrival|pick_?up|valid_from|effective)([-_]?(at|on|date|time))?$/i
export const ENDS: RegExp =
  /^(ends?|to|until|due|deadline|closes?|finish|check_?out|departure|return|drop_?off|valid_(to|until)|expir(y|es|ation))([-_]?(at|on|date|time))?$/i

/** Of two dates that say from when until when, the earlier one comes first. Those that are given stay. */
function orderDates(values: Map<Parameter, unknown>, given: Readonly<Record<string, unknown>>) {
  const named = (names: RegExp): Parameter | undefined =>
    [...values.keys()].find(({ name, in: location, schema }) => {
      const isDate = /^date(-time)?$/.test(schema.format ?? '')
      const words = name.replace(/([a-z])([A-Z])/g, '$1_$2')
      return location === 'query' && isDate && !Object.hasOwn(given, name) && names.test(words)
    })
  const [start, end] = [named(STARTS), named(ENDS)]
  if (!start || !end || start.schema.format !== end.schema.format) return
  const [from, to] = [values.get(start), values.get(end)]
  if (Date.parse(String(from)) <= Date.parse(String(to))) return
  values.set(start, to)
  values.set(end, from)
}

/** Headers that OpenAPI does not let documents declare as parameters, and those that only the HTTP client can know. */
const RESERVED_HEADERS =
  /^(accept|authorization|connection|content-(length|type)|expect|host|keep-alive|te|trailer|transfer-encoding|upgrade)$/

/** The parameters that a request must have: those of the path in its order, then the others. */
export function requiredParameters({ path, parameters }: Operation): readonly Parameter[] {
  const at = ({ name }: Parameter): number => path.indexOf(`{${name}}`)
  const isReserved = ({ name, in: location }: Parameter): boolean =>
    location === 'header' && RESERVED_HEADERS.test(name.toLowerCase())

  return [
    ...parameters.filter((one) => one.in === 'path').sort((one, other) => at(one) - at(other)),
    ...parameters.filter((one) => one.in !== 'path' && one.required && !isReserved(one)),
  ]
}

async function parameterValue(parameter: Parameter, isSmall = false): Promise<unknown> {
  const { name, in: location, schema, validate, example } = parameter
  const examples = [example, schema.default, schema.const, ...(schema.enum ?? [])].flatMap((one) =>
    meaningsOf(one, schema),
  )
  const source = { place: name, schema, validate, examples, isSmall }
  const value = await validValue(source, (one) => isSendable(parameter, one))
  // A path in a parameter has slashes.
  if (value !== undefined || location !== 'path') return value
  return await validValue(source, (one) => !/^\.{0,2}$/.test(pathText(parameter, one)))
}

/** What the example of a parameter may mean: itself, the value that its text has in a request, or a list of one. */
function meaningsOf(example: unknown, schema: Schema): readonly unknown[] {
  if (example === undefined) return []
  const list = withBranches(schema).find(({ type }) => [type].flat().includes('array'))
  const parsed = typeof example === 'string' ? parseText(example, list?.items ?? schema) : example

  return [example, parsed, [parsed]]
}

/** Whether a value has a text that servers read as the same value: no empty text, and no `/` that a proxy could decode. */
function isSendable(parameter: Parameter, value: unknown): boolean {
  if (value === null || value === '') return false
  if (parameter.in === 'querystring') return wholeQuery(parameter, value).length > 0
  if (parameter.in === 'query') return queryPairs(parameter, value).some(([, text]) => text !== '')
  if (parameter.in === 'path') return !/^\.{0,2}$|%2F|%5C/i.test(pathText(parameter, value))
  // Other characters are not allowed in a header (RFC 9110, section 5.5).
  return /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(headerText(parameter, value))
}

/** Requests with these methods have a body only where the document requires one. */
const USUALLY_WITHOUT_BODY: ReadonlySet<string> = new Set(['GET', 'HEAD', 'DELETE'])

/** The body of the first media type for which there is one; a text says why a required body was not found. */
async function findBody(
  { method, body }: Operation,
  isSmall = false,
): Promise<BodyInput | string | undefined> {
  if (!body || body.mediaTypes.length === 0) return undefined
  if (USUALLY_WITHOUT_BODY.has(method) && !body.required) return undefined
  // JSON comes first, then other known formats.
  const media = mediaTypesOf(body).toSorted((a, b) => Number(isWritable(b)) - Number(isWritable(a)))
  for (const one of media) {
    const found = await bodyOf(one, isSmall)
    if (found) return found
  }
  return body.required ? `a body of ${body.mediaTypes[0]}` : undefined
}

/** The body that is given, in the first media type that can be written. */
function givenBody({ body }: Operation, given: GivenInput = {}): BodyInput | undefined {
  const { body: value } = given
  if (value === undefined || !body) return undefined
  for (const media of mediaTypesOf(body)) {
    const written = serializeBody(media, value)
    if (written) return { ...written, value, media }
  }
  return undefined
}

/** The content of a body in each media type, JSON first. */
function mediaTypesOf(body: RequestBody): readonly MediaType[] {
  const { content, mediaTypes, schema, validate, example } = body
  return (
    content ??
    mediaTypes.map((mediaType) => ({
      mediaType,
      schema,
      validate,
      ...(example !== undefined && { examples: [{ value: example }] }),
    }))
  )
}

async function bodyOf(media: MediaType, isSmall: boolean): Promise<BodyInput | undefined> {
  const { mediaType, schema = {}, validate, examples: documented = [] } = media
  const examples = documented.flatMap(({ value }) =>
    // A text may be the value as it is sent.
    typeof value === 'string' && isJson(mediaType) ? [value, parseJsonText(value)] : [value],
  )
  const isReadable = await readableTest(media)
  const value = await validValue(
    { place: 'body', schema, examples, isSmall, ...(validate && { validate }) },
    (one) => isReadable(serializeBody(media, one)),
  )
  const serialized = value === undefined ? undefined : serializeBody(media, value)

  return serialized && { ...serialized, value, media }
}

/** Tells whether a body that is written means a valid value again. XML has no empty list, for example. */
async function readableTest({
  mediaType,
  schema,
  validate,
}: MediaType): Promise<(serialized: SerializedBody | undefined) => boolean> {
  if (!isXml(mediaType) || !schema || !validate) return (serialized) => serialized !== undefined
  const { xmlMeanings } = await import('../contract/xml.ts')

  return (serialized) => {
    if (!serialized) return false
    const limit = ValueLimit.ofXml(serialized.text.length)
    return xmlMeanings(serialized.text, schema, limit).some((value) => validate(value))
  }
}

/** What a value is needed for. */
interface ValueSource {
  /** The name of the parameter, or what the value is. */
  readonly place: string
  readonly schema: Schema
  readonly validate?: SchemaValidator
  /** Examples of the document, the best one first. They may be invalid. */
  readonly examples: readonly unknown[]
  readonly isSmall: boolean
}

/** Dates in generated values count from this day, so that the same request is made each time. */
const DAY = Date.UTC(2026, 0, 1)

/** A documented example that is valid, else a generated value; `undefined` when there is neither. */
async function validValue(
  { place, schema, validate, examples, isSmall }: ValueSource,
  isUsable: (value: unknown) => boolean,
): Promise<unknown> {
  const known = [...examples, schema.default, schema.const, ...(schema.enum ?? [])]
  const example = known.find(
    (value) => value !== undefined && isUsable(value) && (validate?.(value) ?? true),
  )
  if (example !== undefined) return example
  const { generateDocumentedValue } = await import('../generate/generate-value.ts')
  for (const seed of [1, 2, 3]) {
    const request = { schema, seed: [seed], now: DAY, place, ...(validate && { validate }) }
    const { value, isValid } = await generateDocumentedValue(request, {
      isSmall: isSmall && seed === 1,
    })
    if (isValid && value !== undefined && isUsable(value)) return value
  }
  return undefined
}
