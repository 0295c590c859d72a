import type { Operation } from '../../contract/contract.ts'
import { factOf } from '../facts/fact.ts'
import { hasStatus, unlessRemoved } from '../facts/judge.ts'
import type { Credentials } from '../service/answer.ts'
import type { Known } from '../service/known.ts'
import { type Subject, targetOf } from '../subject.ts'
import type { Probe } from './probe.ts'

const FIRST = 11
const REST = 40

/** What shows that keys are looked at. */
const CASES: readonly {
  readonly credentials: Credentials
  readonly id: string
  readonly what: string
  readonly clause: string
}[] = [
  {
    credentials: 'none',
    id: 'no-key',
    what: 'a request without a key',
    clause: 'Authentication, 4',
  },
  { credentials: 'longer', id: 'wrong-key', what: 'a wrong key', clause: 'Authentication, 4' },
  {
    credentials: 'scheme',
    id: 'wrong-scheme',
    what: 'the key under another scheme',
    clause: 'Authentication, 3',
  },
]

/** Requests that lack a valid key: for the first operation every kind, for the others those that differ most. */
export function accessProbes(
  operations: readonly Operation[],
  subjects: readonly Subject[],
): Probe[] {
  const secured = operations.filter((one) => one.secured)
  const first = secured.find(isHarmless)

  return secured.flatMap((operation) => {
    const cases = operation === first ? CASES : CASES.slice(0, 2)
    return cases.map((one, at) => ({
      rank: operation === first ? FIRST + at / 10 : REST,
      cost: 1,
      ...(isHarmless(operation) ? {} : { needs: 'writes' as const }),
      facts: [
        factOf(
          operation,
          one.id,
          `refuses ${one.what} with a 401`,
          unlessRemoved(operation, hasStatus(401)),
          { clause: one.clause },
        ),
      ],
      ask: async (session) => {
        const subject = subjects.find((each) => Object.values(each.operations).includes(operation))
        const id = subject && idFor(operation, subject, session.known)
        return [
          await session.send({
            operation,
            method: operation.method,
            target: targetOf(operation, id ?? 1),
            credentials: one.credentials,
            ...(operation.body && { body: '{}' }),
          }),
        ]
      },
    }))
  })
}

/** A record that is there; of those that could be lost, only one of our own. */
function idFor(operation: Operation, { resource }: Subject, known: Known): unknown {
  const row = isHarmless(operation) ? known.list(resource).rows[0] : known.created(resource)
  return row?.[resource.id]
}

function isHarmless({ method }: Operation): boolean {
  return method === 'GET'
}
