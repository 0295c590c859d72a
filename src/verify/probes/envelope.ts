import type { Operation } from '../../contract/contract.ts'
import { factOf } from '../facts/fact.ts'
import { hasStatus } from '../facts/judge.ts'
import type { Question } from '../service/answer.ts'
import { type Probe, single } from './probe.ts'

const RANK = 64

/** Far more than a service takes for a record. */
const LARGE = 2 * 1024 * 1024

/** Bodies that are refused before they are read, by what the document says of them. */
export function envelopeProbes(create: Operation): Probe[] {
  return [
    ...refusal(create, 415, 'a body of text/plain', { body: 'verify', type: 'text/plain' }),
    ...refusal(create, 413, 'a body of 2 MiB', { body: `"${'x'.repeat(LARGE)}"` }),
  ]
}

function refusal(
  create: Operation,
  status: number,
  what: string,
  sent: Pick<Question, 'body' | 'type'>,
): Probe[] {
  const given = create.responses.find((one) => one.status === status)
  if (!given) return []
  const { method, path: target } = create
  const question: Question = { operation: create, method, target, credentials: 'key', ...sent }
  const open = given.decision ? { decision: given.decision } : {}
  const name = `refuses ${what} with a ${status}`

  return [
    single(
      RANK,
      question,
      [factOf(create, `body/${status}`, name, hasStatus(status), open)],
      'writes',
    ),
  ]
}
