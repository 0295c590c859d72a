import type { Contract, Operation, Schema } from '../contract/contract.ts'
import { documentedKey } from '../contract/documented-response.ts'
import { propertiesOf } from '../contract/schema.ts'
import { UsageError, unknownName } from '../validation/usage-error.ts'
import { MISSING, type ReportEntry } from './report-entry.ts'

/** One item of the contract, and how many requests covered it. */
export interface CoverageItem {
  /** For instance `404`, `query.status=sold`, `401 without a key`. */
  readonly name: string
  /** The number of requests that covered it. */
  readonly count: number
}

/** The coverage of one operation. */
export interface OperationCoverage {
  readonly operation: string
  /** Method and path, for instance `GET /books`. */
  readonly request: string
  /** The number of requests. */
  readonly count: number
  /** The documented response statuses, and ranges such as `4XX` and `default`. */
  readonly statuses: readonly CoverageItem[]
  /** The documented (enum) values of parameters and body properties. */
  readonly values: readonly CoverageItem[]
  /** The documented error cases. */
  readonly errors: readonly CoverageItem[]
}

/** The part of the contract that the requests covered. */
export interface Coverage {
  /** Of all items: operations, statuses, values and error cases. Rounded down. */
  readonly percent: number
  /** The percentage that the options require; absent when they require none. */
  readonly required?: number
  /** The number of covered items. */
  readonly met: number
  /** The number of all items. */
  readonly total: number
  readonly operations: readonly OperationCoverage[]
}

/** Measures which items of a contract the entries cover. */
export function measureCoverage(
  entries: readonly ReportEntry[],
  contract: Contract,
  {
    required = 0,
    of = 'all',
  }: {
    readonly required?: number | undefined
    readonly of?: 'all' | 'used' | readonly string[] | undefined
  } = {},
): Coverage {
  const operations = measuredOperations(entries, contract, of).map((operation) =>
    coverOperation(
      operation,
      contract.sandbox?.auth === 'keys',
      entries.filter((entry) => entry.operation === operation.id),
    ),
  )
  const counts = operations.flatMap((one) => [one.count, ...itemsOf(one).map((item) => item.count)])
  const met = counts.filter((count) => count > 0).length
  const percent = counts.length === 0 ? 100 : Math.floor((met / counts.length) * 100)

  return {
    percent,
    ...(required > 0 && { required }),
    met,
    total: counts.length,
    operations,
  }
}

/** The operations whose coverage is measured. Throws a UsageError for an id that the contract does not have. */
function measuredOperations(
  entries: readonly ReportEntry[],
  { operations }: Contract,
  of: 'all' | 'used' | readonly string[],
): readonly Operation[] {
  if (of === 'all') return operations
  const wanted = new Set(of === 'used' ? entries.map(({ operation }) => operation) : of)
  const ids = operations.map(({ id }) => id)
  const unknown = of === 'used' ? undefined : of.find((id) => !ids.includes(id))
  if (unknown !== undefined) {
    throw new UsageError({
      code: 'no_operation',
      task: 'use the option coverageOf',
      ...unknownName('operation', unknown, ids),
    })
  }
  return operations.filter(({ id }) => wanted.has(id))
}

/** The statuses, values and error cases of an operation. */
export function itemsOf({ statuses, values, errors }: OperationCoverage): readonly CoverageItem[] {
  return [...statuses, ...values, ...errors]
}

/** Why the coverage makes the report fail; `undefined` when it does not. */
export function describeShortfall({ percent, required = 0 }: Coverage): string | undefined {
  return percent < required
    ? `coverage is ${percent} %, but must be at least ${required} %`
    : undefined
}

function coverOperation(
  operation: Operation,
  hasWrongKeys: boolean,
  entries: readonly ReportEntry[],
): OperationCoverage {
  const { responses, otherResponses = [] } = operation
  const statuses = [
    ...responses.map(({ status }) => String(status)),
    ...otherResponses.map(({ range }) => range),
  ]
  return {
    operation: operation.id,
    request: `${operation.method} ${operation.path}`,
    count: entries.length,
    statuses: countItems(statuses, entries, ({ status }) => [
      documentedKey(operation, status) ?? String(status),
    ]),
    values: countItems(documentedValues(operation), entries, (entry) =>
      coveredValues(operation, entry),
    ),
    errors: countItems(documentedErrors(operation, hasWrongKeys), entries, (entry) =>
      coveredErrors(operation, entry),
    ),
  }
}

function countItems(
  names: readonly string[],
  entries: readonly ReportEntry[],
  covered: (entry: ReportEntry) => readonly string[],
): readonly CoverageItem[] {
  const counts = new Map(names.map((name) => [name, 0]))
  for (const name of entries.flatMap((entry) => [...new Set(covered(entry))])) {
    const before = counts.get(name)
    if (before !== undefined) counts.set(name, before + 1)
  }
  return [...counts].map(([name, count]) => ({ name, count }))
}

const NO_KEY = '401 without a key'
const WRONG_KEY = '401 with a wrong key'
const REMOVED = '404 after its removal'
const LIMIT_ERRORS = {
  minute: "429 by the minute's quota",
  day: "429 by the day's quota",
  ban: '429 by a ban',
} as const

/** The error cases of an operation that its contract documents. `hasWrongKeys`: only some API keys are accepted. */
function documentedErrors(operation: Operation, hasWrongKeys: boolean): readonly string[] {
  const { secured, parameters, body, responses, deprecation } = operation
  const isLimited = responses.some((one) => one.status === 429)
  const status = invalidInputStatus(operation)
  const sent = parameters.filter((one) => one.in !== 'path' && one.in !== 'querystring')
  const properties = body ? [...propertiesOf(body.schema).keys()] : []
  const required = body ? requiredIn(body.schema) : []

  return [
    ...(secured && documentedKey(operation, 401) !== undefined
      ? [NO_KEY, ...(hasWrongKeys ? [WRONG_KEY] : [])]
      : []),
    ...(isLimited ? Object.values(LIMIT_ERRORS) : []),
    ...(status === undefined
      ? []
      : [
          ...sent.map((parameter) => invalid(status, `${parameter.in}.${parameter.name}`)),
          ...required.map((name) => invalid(status, `body.${name} is required`)),
          ...properties.map((name) => invalid(status, `body.${name}`)),
        ]),
    ...(deprecation?.sunset === undefined ? [] : [REMOVED]),
  ]
}

/** The error cases that a request covered. */
function coveredErrors(
  operation: Operation,
  { status, caller, refusal, code, faults }: ReportEntry,
): readonly string[] {
  if (status === 401) return [caller === 'missing' ? NO_KEY : WRONG_KEY]
  if (refusal) return refusal === 'limit' ? [LIMIT_ERRORS.minute] : [LIMIT_ERRORS[refusal]]
  if (code === 'operation_removed') return [REMOVED]

  const expected = invalidInputStatus(operation) ?? 400
  return faults.map((part) => invalid(expected, part))
}

/** The documented status of invalid input: 400, else 422, else that of a range. */
function invalidInputStatus(operation: Operation): number | undefined {
  const own = [400, 422].find((status) =>
    operation.responses.some((response) => response.status === status),
  )
  return own ?? (documentedKey(operation, 400) === undefined ? undefined : 400)
}

/** The error case of an invalid part. A part deep in a body belongs to its top-level property. */
function invalid(status: number, part: string): string {
  const [property] = /^\w+\.[\w-]+/.exec(part) ?? []
  if (property === undefined) return `${status} for ${part}`
  // A missing parameter is an invalid one.
  const isMissing = part.startsWith('body') && part.endsWith(MISSING)
  return `${status} for ${property}${isMissing ? MISSING : ''}`
}

function requiredIn({
  required = [],
  allOf = [],
}: Operation['parameters'][number]['schema']): readonly string[] {
  return [...required, ...allOf.flatMap(requiredIn)]
}

/** A schema can contain itself. */
const MAX_DEPTH = 6

/** The enum values of the parameters and the body of an operation, for instance `query.status=sold`. */
function documentedValues({ parameters, body }: Operation): readonly string[] {
  const ofParameters = parameters.flatMap(({ name, in: location, schema }) =>
    enumValues(schema).map((value) => `${location}.${name}=${value}`),
  )
  const ofBody = body ? valuesInSchema(body.schema, 'body', 0) : []

  return [...new Set([...ofParameters, ...ofBody])]
}

/** All values of a request, in the same form. */
function coveredValues(operation: Operation, { target, body }: ReportEntry): readonly string[] {
  const [path = '', query = ''] = target.split(/\?(.*)/s)
  const inQuery = [...new URLSearchParams(query)].map(([name, value]) => `query.${name}=${value}`)
  const inBody = operation.body && body ? valuesInBody(body) : []

  return [...inQuery, ...valuesInPath(operation, path), ...inBody]
}

function valuesInPath({ parameters, path }: Operation, sent: string): readonly string[] {
  const segments = sent.split('/')
  return path.split('/').flatMap((segment, at) => {
    const [, name] = /^\{(.+)\}$/.exec(segment) ?? []
    const isParameter = parameters.some((one) => one.in === 'path' && one.name === name)
    return isParameter ? [`path.${name}=${segments[at]}`] : []
  })
}

function valuesInSchema(schema: Schema, path: string, depth: number): readonly string[] {
  if (depth > MAX_DEPTH) return []
  return [
    ...enumValues(schema).map((value) => `${path}=${value}`),
    ...[...propertiesOf(schema)].flatMap(([name, property]) =>
      valuesInSchema(property, `${path}.${name}`, depth + 1),
    ),
    ...(schema.items ? valuesInSchema(schema.items, `${path}[]`, depth + 1) : []),
  ]
}

function valuesInBody(text: string): readonly string[] {
  try {
    return scalars(JSON.parse(text), 'body', 0)
  } catch {
    return []
  }
}

function scalars(value: unknown, path: string, depth: number): readonly string[] {
  if (depth > MAX_DEPTH) return []
  if (Array.isArray(value)) return value.flatMap((item) => scalars(item, `${path}[]`, depth + 1))
  if (typeof value !== 'object' || value === null) return [`${path}=${toText(value)}`]
  return Object.entries(value).flatMap(([name, member]) =>
    scalars(member, `${path}.${name}`, depth + 1),
  )
}

/** The values of `enum` and `const`, also of the parts of a schema. */
function enumValues(schema: Schema): readonly string[] {
  const { allOf = [], anyOf = [], oneOf = [] } = schema
  const own = [...(schema.enum ?? []), ...(schema.const === undefined ? [] : [schema.const])]

  return [...own.map(toText), ...[...allOf, ...anyOf, ...oneOf].flatMap(enumValues)]
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
