import type { Operation } from '../../contract/contract.ts'
import { factOf, type Judged } from './fact.ts'
import { hasStatus } from './judge.ts'

/** Where in a request a value stands. */
type Place = 'query' | 'path' | 'body'

/** The answers that a document may promise to input that is wrong. */
const PROMISED: Readonly<Record<Place, readonly number[]>> = {
  query: [400, 422],
  path: [404],
  body: [400, 422],
}

/** What counts as a refusal where the document does not promise a certain one. */
const ANY = [400, 404, 422]

/**
 * That an operation refuses some input: with the status that the document promises, or any refusal where the specification
 * leaves the status open. The status that the document chose in that case is a decision.
 */
export function refuses(
  operation: Operation,
  place: Place,
  what: string,
  id: string,
): readonly Judged[] {
  const given = operation.responses.filter(({ status }) => PROMISED[place].includes(status))
  // That a path leads nowhere is promised for ids that could be, not for what is no id.
  const isOpen = (decision: true | undefined): boolean => decision === true || place === 'path'
  const promised = given.filter(({ decision }) => !isOpen(decision)).map(({ status }) => status)
  const decided = given.filter(({ decision }) => isOpen(decision)).map(({ status }) => status)
  if (promised.length > 0) {
    const name = `refuses ${what} with a ${promised.join(' or ')}`
    return [factOf(operation, id, name, hasStatus(...promised))]
  }

  return [
    factOf(operation, id, `refuses ${what}`, hasStatus(...ANY)),
    ...decided.map((status) => decides(operation, status, what, id)),
  ]
}

/** That an operation refuses what the specification is silent about, as the document decided; nothing where it did not. */
export function decidesToRefuse(
  operation: Operation,
  statuses: readonly number[],
  what: string,
  id: string,
): readonly Judged[] {
  const given = operation.responses.find(({ status }) => statuses.includes(status))
  return given ? [decides(operation, given.status, what, id)] : []
}

function decides(operation: Operation, status: number, what: string, id: string): Judged {
  const name = `refuses ${what} with a ${status}`
  return factOf(operation, `${id}/${status}`, name, hasStatus(status), { decision: true })
}
