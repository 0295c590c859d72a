import { documentedResponse } from '../../contract/documented-response.ts'
import type { RefusedBody, RefusedField } from '../session/accepted-bodies.ts'
import { type CheckDefinition, failure, NO_RESPONSE, operationCheck, shorten } from './check.ts'

/** The number of characters of a value in the name of a check. */
const MAX_LENGTH = 40

/**
 * A service accepts the values that the document allows. Where the document allows any text or number, a service may have rules that
 * only a description states, so that its refusal is a decision, as long as the document has its status.
 */
export function acceptedFieldChecks({
  operation,
  response,
  fields,
}: RefusedBody): readonly CheckDefinition[] {
  const isDocumented = documentedResponse(operation, response.status) !== undefined
  return fields.map((field) => {
    const { name, refused, isExact } = field
    const what = refused === undefined ? `a body without ${name}` : `${name}=${shown(refused)}`
    return operationCheck(
      operation,
      `accepts/${name}`,
      `accepts ${what}`,
      ([first]) => (first ? failure(first, expectedOf(field)) : NO_RESPONSE),
      isDocumented && !isExact ? { decision: true } : {},
    )
  })
}

function expectedOf(field: RefusedField): string {
  const { name } = field
  const other = 'accepted' in field ? `with ${name}=${shown(field.accepted)}` : `without ${name}`
  return `2xx, because the document allows it; the server accepts the body ${other}`
}

function shown(value: unknown): string {
  return shorten(JSON.stringify(value) ?? '', MAX_LENGTH)
}
