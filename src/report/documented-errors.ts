import type { Operation } from '../contract/contract.ts'
import { documentedKey } from '../contract/documented-response.ts'
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
export function coveredErrors(
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
