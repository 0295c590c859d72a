import type { Note } from '../exchange.ts'
import type { Ask } from '../message.ts'
import { getOwn, setOwn } from '../own.ts'
import { problems } from '../problem.ts'
import type { Body, Operation, Parameter, Schema } from './contract.ts'
import { describeFaults } from './faults.ts'
import { parseJson } from './json.ts'
import type { Match } from './match.ts'
import { branchesOf, findInexact, shape } from './shape.ts'

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

/** Integers have one spelling: no plus sign, point, exponent or leading zero. */
const INTEGER = /^-?(0|[1-9]\d*)$/

const EXACT_RANGE = `from ${Number.MIN_SAFE_INTEGER} to ${Number.MAX_SAFE_INTEGER}`

/** What looks on while a request is read, for the journal. */
export interface Witness {
  /** What was sent and is not used. */
  readonly note: (kind: Note['kind'], place: string) => void
  /** The whole body, as soon as it is read. */
  body?: Uint8Array
}

/** Reads the input of a matched request. Throws the 404, 400, 413 or 415 that its first fault brings. */
export function read(
  { operation, path }: Match,
  ask: Ask,
  witness: Witness,
): Input | Promise<Input> {
  const input = { path: readPath(operation, path, ask), query: readQuery(operation, ask, witness) }
  const { body } = operation
  if (!body) return input

  checkMediaType(body, ask.header('content-type'), ask.header('content-encoding'))
  return ask
    .body(BODY_LIMIT)
    .then((bytes) => ({ ...input, body: readBody(operation, body, bytes, ask, witness) }))
}

/** Throws a 404 for a path parameter that does not fit its schema: it names no resource. */
function readPath(operation: Operation, sent: Match['path'], ask: Ask): Record<string, unknown> {
  const values: Record<string, unknown> = {}
  for (const parameter of operation.parameters) {
    if (parameter.in !== 'path') continue
    const value = fromText(decoded(getOwn(sent, parameter.name) ?? ''), parameter.schema)
    if (!parameter.check(value)) {
      const why = faultsOf(parameter, parameter.name, value)
      throw problems.notFound(`There is no ${ask.path}: ${why}.`)
    }
    setOwn(values, parameter.name, value)
  }
  return values
}

/** Part of a path without its percent-encoding; left as it is where that is malformed. */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

const NO_QUERY = new URLSearchParams()

function readQuery(operation: Operation, ask: Ask, witness: Witness): Record<string, unknown> {
  const values: Record<string, unknown> = {}
  const sent = ask.query === '' ? NO_QUERY : new URLSearchParams(`?${ask.query}`)
  const faults: string[] = []
  for (const parameter of operation.parameters) {
    if (parameter.in !== 'query') continue
    const value = queryValue(parameter, sent.getAll(parameter.name), faults)
    if (value !== undefined) setOwn(values, parameter.name, value)
  }
  if (faults.length > 0) throw problems.invalidRequest(faults.join('; '))
  if (ask.query === '') return values
  for (const name of new Set(sent.keys())) {
    if (!operation.parameters.some((known) => known.in === 'query' && known.name === name)) {
      witness.note('unknown-parameter', `query.${name}`)
    }
  }
  return values
}

function queryValue(parameter: Parameter, sent: readonly string[], faults: string[]): unknown {
  const { name, schema, check, required } = parameter
  const place = `query.${name}`
  const [first] = sent
  if (first === undefined) {
    if (required) faults.push(`${place} is required`)
    return schema.default
  }
  const list = withBranches(schema).find(({ type }) => [type].flat().includes('array'))
  const value = list
    ? sent.map((text) => fromText(text, list.items ?? {}))
    : fromText(first, schema)
  if (sent.includes('')) faults.push(`${place} must not be empty`)
  else if (sent.length > 1 && !list) faults.push(`${place} must be given once`)
  else if (!check(value)) faults.push(faultsOf(parameter, place, value))

  return value
}

/** A text as a value of the schema's type; left as it is when it is none, for the check to refuse. */
export function fromText(text: string, schema: Schema): unknown {
  const types = withBranches(schema).flatMap(({ type }) => type)
  if (types.includes('integer') && INTEGER.test(text)) return exact(text)
  if (types.includes('number') && /^-?(0|[1-9]\d*)(\.\d+)?$/.test(text)) return exact(text)
  if (types.includes('boolean') && (text === 'true' || text === 'false')) return text === 'true'

  return text
}

/** A schema and all of its branches: many a document says `anyOf: [{ type: integer }, { type: 'null' }]`. */
function withBranches(schema: Schema): readonly Schema[] {
  return [schema, ...branchesOf(schema).flatMap(withBranches)]
}

/** What the check found wrong. An integer that stayed text is one that JavaScript cannot hold exactly. */
function faultsOf({ schema, check }: Parameter, place: string, value: unknown): string {
  const isInteger = typeof value === 'string' && INTEGER.test(value)
  return isInteger && [schema.type].flat().includes('integer')
    ? `${place} must be an integer ${EXACT_RANGE}`
    : describeFaults(place, check.errors ?? [])
}

/** An integer beyond 2^53 - 1 stays text, for the check to refuse: no value is altered silently. */
function exact(text: string): number | string {
  const value = Number(text)
  return Number.isInteger(value) && !Number.isSafeInteger(value) ? text : value
}

function readBody(
  { method }: Operation,
  body: Body,
  bytes: Uint8Array | undefined,
  ask: Ask,
  witness: Witness,
): unknown {
  if (!bytes) throw problems.payloadTooLarge(BODY_LIMIT)
  witness.body = bytes
  if (bytes.length === 0) {
    if (body.required) throw problems.invalidRequest('body is required')
    return undefined
  }
  if (ask.header('content-type') === undefined) throw problems.unsupportedMediaType(expected(body))

  return checkBody(body, parseJson(bytes), method !== 'PATCH', witness)
}

function checkMediaType(body: Body, type: string | undefined, encoding = 'identity'): void {
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

function expected({ mediaTypes }: Body): string {
  return `The body must be ${mediaTypes.join(' or ')}, and its Content-Type must say so.`
}

function checkBody(
  { schema, check }: Body,
  sent: unknown,
  defaults: boolean,
  witness: Witness,
): unknown {
  const onDrop = (place: string): void => witness.note('dropped-property', place)
  const value = shape(schema, sent, 'body', { defaults, onDrop })
  const inexact = findInexact(value)
  if (inexact) {
    throw problems.invalidRequest(
      `body${inexact.place} must be a number that JavaScript holds exactly, integers ${EXACT_RANGE}; ${inexact.text.slice(0, 40)} would be altered`,
    )
  }
  if (!check(value)) throw problems.invalidRequest(describeFaults('body', check.errors ?? []))

  return value
}
