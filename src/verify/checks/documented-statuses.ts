import type { Operation } from '../../contract/contract.ts'
import { documentedKey } from '../../contract/documented-response.ts'

/** The statuses that a document allows, with their description, for instance `200 or 201`. */
export interface ExpectedStatuses {
  readonly allows: (status: number) => boolean
  readonly text: string
}

/** The first successful status of an operation. */
export function successStatus({ responses }: Pick<Operation, 'responses'>): number {
  return responses.find(({ status }) => isSuccessStatus(status))?.status ?? 200
}

/**
 * Whether the document has nothing but errors for an operation, so that only they can be expected of it. A 1xx does not count,
 * because another response follows it (RFC 9110, section 15.2).
 */
export function isOnlyErrors({ responses, otherResponses = [] }: Operation): boolean {
  const last = responses.filter(({ status }) => status >= 200)
  return (
    last.length > 0 &&
    last.every(({ status }) => status >= 400) &&
    otherResponses.every(({ range }) => range === '4XX' || range === '5XX')
  )
}

/**
 * The statuses of a response to a valid request: the documented 2xx and 3xx. When there are none, every 2xx; and the documented
 * errors, if there is nothing else.
 */
export function expectedSuccess(operation: Operation): ExpectedStatuses {
  const { responses, otherResponses = [] } = operation
  const statuses = responses
    .map(({ status }) => status)
    .filter((status) => status >= 200 && status < 400)
  const ranges = otherResponses.map(({ range }) => range).filter((range) => /^[23]XX$/.test(range))
  if (isOnlyErrors(operation)) {
    const isDocumented = (status: number): boolean => documentedKey(operation, status) !== undefined
    return {
      allows: (status) => isSuccessStatus(status) || isDocumented(status),
      text: 'a documented status',
    }
  }
  if (statuses.length + ranges.length === 0) return { allows: isSuccessStatus, text: 'a 2xx' }

  return {
    allows: (status) =>
      statuses.includes(status) || ranges.some((range) => range[0] === String(status)[0]),
    text: [...statuses, ...ranges].join(' or '),
  }
}

function isSuccessStatus(status: number): boolean {
  return status >= 200 && status < 300
}
