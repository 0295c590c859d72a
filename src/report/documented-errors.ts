import type { Operation } from '../contract/contract.ts'
import { propertiesOf } from '../contract/schema-properties.ts'
import { MISSING, type ReportEntry } from './report-entry.ts'

const NO_KEY = '401 without a key'
const WRONG_KEY = '401 with a wrong key'
const REMOVED = '404 after its removal'
const LIMIT_ERRORS = {
  minute: "429 by the minute's quota",
  day: "429 by the day's quota",
  ban: '429 by a ban',
} as const

/** The error cases of an operation that its contract documents. `hasWrongKeys`: only some API keys are accepted. */
export function documentedErrors(operation: Operation, hasWrongKeys: boolean): readonly string[] {
  const { secured, parameters, body, responses, deprecation } = operation
  const has = (status: number): boolean => responses.some((one) => one.status === status)
  const query = parameters.filter((one) => one.in === 'query')
  const properties = body ? [...propertiesOf(body.schema).keys()] : []
  const required = body ? requiredIn(body.schema) : []

  return [
    ...(secured && has(401) ? [NO_KEY, ...(hasWrongKeys ? [WRONG_KEY] : [])] : []),
    ...(has(429) ? Object.values(LIMIT_ERRORS) : []),
    ...(has(400) ? query.map(({ name }) => invalid(`query.${name}`)) : []),
    ...(has(400) ? required.map((name) => invalid(`body.${name} is required`)) : []),
    ...(has(400) ? properties.map((name) => invalid(`body.${name}`)) : []),
    ...(deprecation?.sunset === undefined ? [] : [REMOVED]),
  ]
}

/** The error cases that a request covered. */
export function coveredErrors({
  status,
  caller,
  refusal,
  code,
  faults,
}: ReportEntry): readonly string[] {
  if (status === 401) return [caller === 'missing' ? NO_KEY : WRONG_KEY]
  if (refusal) return refusal === 'limit' ? [LIMIT_ERRORS.minute] : [LIMIT_ERRORS[refusal]]
  if (code === 'operation_removed') return [REMOVED]

  return faults.map(invalid)
}

/** The error case of an invalid part. A part deep in a body belongs to its top-level property. */
function invalid(part: string): string {
  const [property] = /^\w+\.[\w-]+/.exec(part) ?? []
  if (property === undefined) return `400 for ${part}`
  return `400 for ${property}${part.endsWith(MISSING) ? MISSING : ''}`
}

function requiredIn({
  required = [],
  allOf = [],
}: Operation['parameters'][number]['schema']): readonly string[] {
  return [...required, ...allOf.flatMap(requiredIn)]
}
