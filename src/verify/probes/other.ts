import type { Operation } from '../../contract/contract.ts'
import { factOf } from '../facts/fact.ts'
import { succeeds } from '../facts/judge.ts'
import { targetOf } from '../subject.ts'
import { type Probe, single } from './probe.ts'

const RANK = 19

/** Operations that are about no resource: those that can be asked without knowing anything. */
export function otherProbes(operations: readonly Operation[]): Probe[] {
  return operations.map((operation) => {
    const { method } = operation
    const isPlain = method === 'GET' && !operation.path.includes('{')
    const fact = factOf(operation, 'served', 'answers a request with the key', (answers, known) =>
      isPlain
        ? succeeds(operation)(answers, known)
        : { leftOut: 'nothing in the document tells what it may be asked' },
    )
    const question = {
      operation,
      method,
      target: targetOf(operation, ''),
      credentials: 'key',
    } as const

    return isPlain
      ? single(RANK, question, [fact])
      : { rank: RANK, cost: 0, facts: [fact], ask: async () => [] }
  })
}
