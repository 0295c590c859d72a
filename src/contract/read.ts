import { describeInputErrors, type InputError } from '../http/input-error.ts'
import type { CoreRequest } from '../http/message.ts'
import { asProblem, type Problem, problems } from '../http/problem.ts'
import type { Note } from '../journal/exchange.ts'
import { getOwn, setOwn } from '../validation/own-property.ts'
import type { Operation, Parameter, RequestBody } from './contract.ts'
import { decodeComponent, INTEGER_PATTERN, parseText } from './parse-text.ts'
import { checkMediaType, EXACT_RANGE, MAX_BODY_BYTES, parseBody } from './request-body.ts'
import type { Match } from './router.ts'
import { withBranches } from './schema-properties.ts'
import { toInputErrors } from './validation-errors.ts'

/** The valid input of a request. */
export interface Input {
  readonly path: Readonly<Record<string, unknown>>
  /** A parameter that was not sent has its default value or is absent. */
  readonly query: Readonly<Record<string, unknown>>
  /** Contains only the properties that the schema knows. */
  readonly body?: unknown
}

/** The result of reading a request: its input, or the problem of the first error. */
export type Reading = (
  | { readonly input: Input; readonly problem?: never }
  | { readonly problem: Problem; readonly input?: never }
) & {
  /** The parts of the request that are not used. */
  readonly notes: readonly Note[]
  /** The complete body; absent when it was not read. */
  readonly body?: Uint8Array
}

/** How a request is read. */
export interface ReadOptions {
  /** The maximum number of notes. By default, any number. */
  readonly maxNotes?: number
  /** The size limit of the body in bytes. By default, 64 MiB. */
  readonly bodyLimit?: number
  /** What happens to properties of the body that the schema does not name. By default, `drop`. */
  readonly unknownProperties?: 'drop' | 'keep'
  /** Query parameters besides those of the operation, such as credentials. By default, none. */
  readonly otherParameters?: readonly string[]
}

/** Reads the input of a matched request. An error is a 404, 400, 413 or 415. */
export function read(
  match: Match,
  request: CoreRequest,
  options: ReadOptions = {},
): Reading | Promise<Reading> {
  const { operation } = match
  const { maxNotes, otherParameters } = options
  let notes: readonly Note[] = []
  try {
    const input = {
      path: readPath(operation, match.pathParameters, request),
      query: readQuery(operation, request),
    }
    notes = unknownParameters(operation, request, otherParameters).slice(0, maxNotes)
    if (!operation.body) return { input, notes }
    checkMediaType(operation.body, request)
    return readWithBody(operation, operation.body, request, { input, notes }, options)
  } catch (error) {
    return { problem: asProblem(error), notes }
  }
}

/** Reads the body, after the rest of the input. */
async function readWithBody(
  { method }: Operation,
  body: RequestBody,
  request: CoreRequest,
  { input, notes: earlier }: { readonly input: Input; readonly notes: readonly Note[] },
  {
    maxNotes = Number.POSITIVE_INFINITY,
    bodyLimit = MAX_BODY_BYTES,
    unknownProperties = 'drop',
  }: ReadOptions,
): Promise<Reading> {
  const notes = [...earlier]
  const onRemove = (place: string): void => {
    if (notes.length < maxNotes) notes.push({ kind: 'dropped-property', place })
  }
  let bytes: Uint8Array | undefined
  try {
    bytes = await request.body(bodyLimit)
    if (!bytes) throw problems.payloadTooLarge(bodyLimit)
    const value = await parseBody(body, bytes, request, {
      useDefaults: method !== 'PATCH',
      ...(unknownProperties === 'drop' && { onRemove }),
    })
    return { input: { ...input, body: value }, notes, ...(bytes && { body: bytes }) }
  } catch (error) {
    return { problem: asProblem(error), notes, ...(bytes && { body: bytes }) }
  }
}

/** Throws a 404 for a path parameter that does not match its schema, because no resource has this path. */
function readPath(
  operation: Operation,
  sent: Match['pathParameters'],
  request: CoreRequest,
): Record<string, unknown> {
  const values: Record<string, unknown> = {}
  for (const parameter of operation.parameters) {
    if (parameter.in !== 'path') continue
    const value = parseText(decodeComponent(getOwn(sent, parameter.name) ?? ''), parameter.schema)
    if (!parameter.validate(value)) {
      const reason = describeInputErrors(errorsOf(parameter, parameter.name, value))
      throw problems.notFound(`No resource was found at ${request.path}: ${reason}.`)
    }
    setOwn(values, parameter.name, value)
  }
  return values
}

const NO_QUERY = new URLSearchParams()

function readQuery(operation: Operation, request: CoreRequest): Record<string, unknown> {
  const values: Record<string, unknown> = {}
  const sent = request.query === '' ? NO_QUERY : new URLSearchParams(`?${request.query}`)
  const errors: InputError[] = []
  for (const parameter of operation.parameters) {
    if (parameter.in !== 'query') continue
    const value = queryValue(parameter, sent.getAll(parameter.name), errors)
    if (value !== undefined) setOwn(values, parameter.name, value)
  }
  if (errors.length > 0) throw problems.invalidInput(errors)
  return values
}

/** Notes of the query parameters that the operation does not have. */
function unknownParameters(
  { parameters }: Operation,
  { query }: CoreRequest,
  others: readonly string[] = [],
): readonly Note[] {
  if (query === '') return []
  const sent = [...new Set(new URLSearchParams(`?${query}`).keys())]
  return sent
    .filter((name) => !parameters.some((known) => known.in === 'query' && known.name === name))
    .filter((name) => !others.includes(name))
    .map((name) => ({ kind: 'unknown-parameter', place: `query.${name}` }))
}

function queryValue(parameter: Parameter, sent: readonly string[], errors: InputError[]): unknown {
  const { name, schema, validate, required } = parameter
  const location = `query.${name}`
  const [first] = sent
  if (first === undefined) {
    if (required) errors.push({ location, keyword: 'required', message: 'is required' })
    return schema.default
  }
  const list = withBranches(schema).find(({ type }) => [type].flat().includes('array'))
  const value = list
    ? sent.map((text) => parseText(text, list.items ?? {}))
    : parseText(first, schema)
  if (sent.includes('')) errors.push({ location, message: 'must not be empty' })
  else if (sent.length > 1 && !list) errors.push({ location, message: 'must be given once' })
  else if (!validate(value)) errors.push(...errorsOf(parameter, location, value))

  return value
}

/** The errors of a parameter. An integer that is still a string is one that JavaScript cannot represent exactly. */
function errorsOf(
  { schema, validate }: Parameter,
  location: string,
  value: unknown,
): readonly InputError[] {
  const isInteger = typeof value === 'string' && INTEGER_PATTERN.test(value)
  return isInteger && [schema.type].flat().includes('integer')
    ? [{ location, message: `must be an integer ${EXACT_RANGE}` }]
    : toInputErrors(location, validate.errors ?? [])
}
