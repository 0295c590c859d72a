import type { Operation, OperationResponse } from '../../contract/contract.ts'
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
 * That an operation refuses some input, with the status that the document promises. Where it promises none, a refusal is a
 * decision: a service may as well ignore a parameter that is wrong. What is no id names no record, though.
 */
export function refuses(
  operation: Operation,
  place: Place,
  what: string,
  id: string,
): readonly Judged[] {
  const given = operation.responses.filter(({ status }) => PROMISED[place].includes(status))
  const promised = given.filter(({ decision }) => decision === undefined)
  const statuses = (responses: readonly OperationResponse[]): number[] =>
    responses.map(({ status }) => status)
  if (place !== 'path' && promised.length > 0) {
    const name = `refuses ${what} with a ${statuses(promised).join(' or ')}`
    return [factOf(operation, id, name, hasStatus(...statuses(promised)))]
  }
  const open = place === 'path' ? {} : ({ decision: true } as const)

  return [
    ...(place === 'path' || given.length === 0
      ? [factOf(operation, id, `refuses ${what}`, hasStatus(...ANY), open)]
      : []),
    ...statuses(given).map((status) => decides(operation, status, what, id)),
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
