import type { Contract } from '../../contract/contract.ts'
import { contentOf, documentedResponse } from '../../contract/documented-response.ts'
import { isJson } from '../../contract/is-json.ts'
import type { ProbeResponse } from '../requests/probe-messages.ts'
import type { CheckDefinition } from './check.ts'
import { hasJson } from './content-checks.ts'
import { isOnlyErrors } from './documented-statuses.ts'
import { everyResponse, failure } from './evaluate.ts'

/** Checks of all error responses. */
export function errorBodyChecks(contract: Contract): CheckDefinition[] {
  return [noServerErrorCheck(), ...commonErrorCheck(contract)]
}

function noServerErrorCheck(): CheckDefinition {
  return {
    id: 'errors/server',
    name: 'No request gets a 5xx',
    clause: 'RFC 9110, section 15.6',
    evaluate: everyResponse(
      ({ request: { operation } }) => !operation || !isOnlyErrors(operation),
      (response) => (response.status < 500 ? 'passed' : failure(response, 'a status below 500')),
    ),
  }
}

/**
 * Error responses with an undocumented status have the error body of the document, too, if all its errors have the same one.
 * Decisions have checks of their own.
 */
function commonErrorCheck({ operations }: Contract): CheckDefinition[] {
  const errors = operations.flatMap(({ responses, otherResponses = [] }) => [
    ...responses.filter(({ status }) => status >= 400),
    ...otherResponses.filter(({ range }) => /^[45d]/.test(range)),
  ])
  const schemas = new Set(errors.flatMap(({ schema }) => schema ?? []))
  const { validate, schema } = errors.find((one) => one.validate && one.schema) ?? {}
  if (!validate || !schema || schemas.size !== 1) return []
  const decided = new Set(
    errors.flatMap((one) => ('status' in one && one.bodyDecision ? one.status : [])),
  )
  const isSelected = ({ status, request: { operation, method } }: ProbeResponse): boolean => {
    if (status < 400 || !operation || method === 'HEAD' || decided.has(status)) return false
    const documented = documentedResponse(operation, status)
    return !documented || contentOf(documented).some((one) => one.schema && isJson(one.mediaType))
  }
  return [
    {
      id: 'errors/body',
      name: 'Every error response has a body that matches the error schema',
      clause: 'OpenAPI, error responses',
      evaluate: everyResponse(isSelected, (response) => hasJson(response, { schema, validate })),
    },
  ]
}
