import type { Keys } from '../access/keys.ts'
import type { Contract, Operation } from '../contract/contract.ts'
import { DURATION_RANGE } from '../time/clock.ts'
import { isObject } from '../validation/objects.ts'
import { shortened, UsageError } from '../validation/usage-error.ts'
import {
  fields,
  integerFrom,
  is,
  mistakesIn,
  oneOf,
  toErrorItem,
  type ValueCheck,
} from '../validation/value-check.ts'
import { hasRetryAfter, isOutcome, OUTCOMES, type Outcome } from './outcomes.ts'
import { checkPath, pathOfOperation } from './rule-path.ts'

const SECONDS_PER_YEAR = 31_536_000

const NO_RETRY_AFTER = is('left out, because this outcome sends no Retry-After', () => false)

/** Checks a rule with its outcome, for these operations. `others` are further fields, such as the key, or stricter ones. */
export function ruleCheck(
  operations: readonly Pick<Operation, 'id' | 'method'>[],
  others: Readonly<Record<string, ValueCheck>>,
  required: readonly string[] = [],
): ValueCheck {
  const form = fields(
    {
      outcome: oneOf('outcome', OUTCOMES),
      operation: oneOf(
        'operation',
        operations.map(({ id }) => id),
      ),
      method: oneOf('method', [...new Set(operations.map(({ method }) => method))]),
      path: checkPath,
      times: integerFrom(1),
      skip: integerFrom(0),
      probability: is(
        'a number > 0 and ≤ 1',
        (value) => typeof value === 'number' && value > 0 && value <= 1,
      ),
      retryAfter: integerFrom(1, SECONDS_PER_YEAR),
      latency: DURATION_RANGE,
      ...others,
    },
    ['outcome', ...required],
  )
  return (value, path, mistakes) => {
    form(value, path, mistakes)
    const { outcome, retryAfter } = isObject(value) ? value : {}
    if (retryAfter === undefined || typeof outcome !== 'string') return
    if (isOutcome(outcome) && !hasRetryAfter(outcome)) {
      NO_RETRY_AFTER(retryAfter, [...path, 'retryAfter'], mistakes)
    }
  }
}

/** The outcome, if it exists and the rule is valid. Throws a UsageError otherwise. */
export function checkedOutcome(
  outcome: string,
  rule: object,
  contract: Contract,
  keys: Keys,
): Outcome {
  const known = keys.list().map(({ key }) => key)
  const check = ruleCheck(contract.operations, {
    key: oneOf('API key', known),
    path: pathOfOperation(contract),
  })
  const [mistake] = mistakesIn({ ...rule, outcome }, check)
  if (!mistake && isOutcome(outcome)) return outcome

  const item = mistake ? toErrorItem(mistake) : { reason: 'the rule is not valid' }
  throw new UsageError({
    code: 'invalid_rule',
    task: `force "${shortened(String(outcome))}"`,
    ...item,
  })
}
