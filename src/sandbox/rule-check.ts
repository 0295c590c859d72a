import type { Operation } from '../contract/contract.ts'
import { OUTCOMES } from './outcomes.ts'
import { DURATION_RANGE } from './time-check.ts'
import { fields, is, oneOf, type ValueCheck, wholeFrom } from './value-check.ts'

/** What a rule with its outcome may be, where there are these operations and API keys. */
export function ruleCheck(
  operations: readonly Pick<Operation, 'id' | 'method'>[],
  keys: readonly string[],
): ValueCheck {
  return fields(
    {
      outcome: oneOf(OUTCOMES),
      operation: oneOf(operations.map(({ id }) => id)),
      method: oneOf([...new Set(operations.map(({ method }) => method))]),
      path: is(
        'no path',
        'Write it as /books/*.',
        (value) => typeof value === 'string' && value.startsWith('/'),
      ),
      key: oneOf(keys),
      times: wholeFrom(1),
      skip: wholeFrom(0),
      probability: is(
        'no share',
        'Give a number over 0 and up to 1.',
        (value) => typeof value === 'number' && value > 0 && value <= 1,
      ),
      retryAfter: wholeFrom(1),
      latency: DURATION_RANGE,
    },
    ['outcome'],
  )
}
