import type { CoreRequest } from '../http/message.ts'
import { problems } from '../http/problem.ts'
import type { Note } from '../journal/exchange.ts'
import { getOwn, setOwn } from '../validation/own-property.ts'
import type { Operation, Parameter, RequestBody } from './contract.ts'
import { findInexactNumber } from './inexact-number.ts'
import { normalize } from './normalize.ts'
import { parseJson } from './parse-json.ts'
import { decodeComponent, INTEGER_PATTERN, parseText } from './parse-text.ts'
import type { Match } from './router.ts'
import { withBranches } from './schema-properties.ts'
import { describeErrors } from './validation-errors.ts'

/** What a request says, read and found to fit the contract. */
export interface Input {
  readonly path: Readonly<Record<string, unknown>>
  /** A parameter that was not sent has its default, or is absent. */
  readonly query: Readonly<Record<string, unknown>>
  /** Holds only what the schema knows. */
  readonly body?: unknown
}

/** Bodies of more bytes are refused. */
export const BODY_LIMIT: number = 1024 * 1024

const EXACT_RANGE = `from ${Number.MIN_SAFE_INTEGER} to ${Number.MAX_SAFE_INTEGER}`

/** What looks on while a request is read, for the journal. */
export interface InputObserver {
  /** What was sent and is not used. */
  readonly note: (kind: Note['kind'], place: string) => void
  /** The whole body, as soon as it is read. */
  body?: Uint8Array
}

/** Reads the input of a matched request. Throws the 404, 400, 413 or 415 that its first fault brings. */
export function read(
  { operation, pathParameters: path }: Match,
  request: CoreRequest,
  witness: InputObserver,
): Input | Promise<Input> {
  const input = {
    path: readPath(operation, path, request),
    query: readQuery(operation, request, witness),
  }
  const { body } = operation
  if (!body) return input

  checkMediaType(body, request.header('content-type'), request.header('content-encoding'))
  return request.body(BODY_LIMIT).then(async (bytes) => ({
    ...input,
    body: await readBody(operation, body, bytes, request, witness),
  }))
}

/** Throws a 404 for a path parameter that does not fit its schema: it names no resource. */
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
      const why = faultsOf(parameter, parameter.name, value)
      throw problems.notFound(`There is no ${request.path}: ${why}.`)
    }
    setOwn(values, parameter.name, value)
  }
  return values
}

const NO_QUERY = new URLSearchParams()

function readQuery(
  operation: Operation,
  request: CoreRequest,
  witness: InputObserver,
): Record<string, unknown> {
  const values: Record<string, unknown> = {}
  const sent = request.query === '' ? NO_QUERY : new URLSearchParams(`?${request.query}`)
  const faults: string[] = []
  for (const parameter of operation.parameters) {
    if (parameter.in !== 'query') continue
    const value = queryValue(parameter, sent.getAll(parameter.name), faults)
    if (value !== undefined) setOwn(values, parameter.name, value)
  }
  if (faults.length > 0) throw problems.invalidRequest(faults.join('; '))
  if (request.query === '') return values
  for (const name of new Set(sent.keys())) {
    if (!operation.parameters.some((known) => known.in === 'query' && known.name === name)) {
      witness.note('unknown-parameter', `query.${name}`)
    }
  }
  return values
}

function queryValue(parameter: Parameter, sent: readonly string[], faults: string[]): unknown {
  const { name, schema, validate, required } = parameter
  const place = `query.${name}`
  const [first] = sent
  if (first === undefined) {
    if (required) faults.push(`${place} is required`)
    return schema.default
  }
  const list = withBranches(schema).find(({ type }) => [type].flat().includes('array'))
  const value = list
    ? sent.map((text) => parseText(text, list.items ?? {}))
    : parseText(first, schema)
  if (sent.includes('')) faults.push(`${place} must not be empty`)
  else if (sent.length > 1 && !list) faults.push(`${place} must be given once`)
  else if (!validate(value)) faults.push(faultsOf(parameter, place, value))

  return value
}

/** What the check found wrong. An integer that stayed text is one that JavaScript cannot hold exactly. */
function faultsOf({ schema, validate }: Parameter, place: string, value: unknown): string {
  const isInteger = typeof value === 'string' && INTEGER_PATTERN.test(value)
  return isInteger && [schema.type].flat().includes('integer')
    ? `${place} must be an integer ${EXACT_RANGE}`
    : describeErrors(place, validate.errors ?? [])
}

async function readBody(
  { method }: Operation,
  body: RequestBody,
  bytes: Uint8Array | undefined,
  request: CoreRequest,
  witness: InputObserver,
): Promise<unknown> {
  if (!bytes) throw problems.payloadTooLarge(BODY_LIMIT)
  witness.body = bytes
  if (bytes.length === 0) {
    if (body.required) throw problems.invalidRequest('body is required')
    return undefined
  }
  if (request.header('content-type') === undefined)
    throw problems.unsupportedMediaType(expected(body))

  return checkBody(body, await parseJson(bytes), method !== 'PATCH', witness)
}

function checkMediaType(body: RequestBody, type: string | undefined, encoding = 'identity'): void {
  if (encoding.toLowerCase() !== 'identity') {
    throw problems.unsupportedMediaType(
      `The body must not be encoded, and this one is ${encoding}.`,
    )
  }
  if (type === undefined || body.mediaTypes.includes(type)) return
  const [mediaType = '', ...parameters] = type.toLowerCase().split(';')
  const charset = parameters.map((text) => text.trim()).find((text) => text.startsWith('charset='))
  const isUtf8 = charset === undefined || /^charset="?utf-?8"?$/.test(charset)
  if (!body.mediaTypes.includes(mediaType.trim()) || !isUtf8) {
    throw problems.unsupportedMediaType(`${expected(body)} This one is ${type}.`)
  }
}

function expected({ mediaTypes }: RequestBody): string {
  return `The body must be ${mediaTypes.join(' or ')}, and its Content-Type must say so.`
}

function checkBody(
  { schema, validate }: RequestBody,
  sent: unknown,
  defaults: boolean,
  witness: InputObserver,
): unknown {
  const onRemove = (place: string): void => witness.note('dropped-property', place)
  const value = normalize(schema, sent, 'body', { useDefaults: defaults, onRemove })
  const inexact = findInexactNumber(value)
  if (inexact) {
    throw problems.invalidRequest(
      `body${inexact.location} must be a number that JavaScript holds exactly, integers ${EXACT_RANGE}; ${inexact.text.slice(0, 40)} would be altered`,
    )
  }
  if (!validate(value)) throw problems.invalidRequest(describeErrors('body', validate.errors ?? []))

  return value
}
