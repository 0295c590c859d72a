import type { Operation } from '../contract/contract.ts'
import { propertiesOf } from '../contract/schema-properties.ts'
import { type Entry, MISSING } from './entry.ts'

const NO_KEY = '401 without a key'
const WRONG_KEY = '401 with a wrong key'
const REMOVED = '404 after its removal'
const REFUSALS = {
  minute: "429 by the minute's quota",
  day: "429 by the day's quota",
  ban: '429 by a ban',
} as const

/** The ways in which an operation can refuse, as far as its contract tells. */
export function documentedErrors(operation: Operation): readonly string[] {
  const { secured, parameters, body, responses, deprecation } = operation
  const has = (status: number): boolean => responses.some((one) => one.status === status)
  const query = parameters.filter((one) => one.in === 'query')
  const properties = body ? [...propertiesOf(body.schema).keys()] : []
  const required = body ? requiredIn(body.schema) : []

  return [
    ...(secured && has(401) ? [NO_KEY, WRONG_KEY] : []),
    ...(has(429) ? Object.values(REFUSALS) : []),
    ...(has(400) ? query.map(({ name }) => invalid(`query.${name}`)) : []),
    ...(has(400) ? required.map((name) => invalid(`body.${name} is required`)) : []),
    ...(has(400) ? properties.map((name) => invalid(`body.${name}`)) : []),
    ...(deprecation?.sunset === undefined ? [] : [REMOVED]),
  ]
}

/** Those that a request met. */
export function coveredErrors({ status, caller, refusal, code, faults }: Entry): readonly string[] {
  if (status === 401) return [caller === 'missing' ? NO_KEY : WRONG_KEY]
  if (refusal) return refusal === 'limit' ? [REFUSALS.minute] : [REFUSALS[refusal]]
  if (code === 'operation_removed') return [REMOVED]

  return faults.map(invalid)
}

/** A fault deep in a body is one of the property that it is in. */
function invalid(place: string): string {
  const [at] = /^\w+\.[\w-]+/.exec(place) ?? []
  if (at === undefined) return `400 for ${place}`
  return `400 for ${at}${place.endsWith(MISSING) ? MISSING : ''}`
}

function requiredIn({
  required = [],
  allOf = [],
}: Operation['parameters'][number]['schema']): readonly string[] {
  return [...required, ...allOf.flatMap(requiredIn)]
}
