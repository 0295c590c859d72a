import type { Keys } from '../access/keys.ts'
import type { Contract, Operation } from '../contract/contract.ts'
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
  type ValueMistake,
} from '../validation/value-check.ts'
import {
  answerChecks,
  type CheckedAnswer,
  checkAnswer,
  checkSeries,
  exampleNames,
  isAnswer,
  JSON_DATA,
  mapOfAll,
  NAME,
  refuseField,
  SIMPLE_VALUE,
} from './answer-check.ts'
import { FIELDS_OF_SERIES, type ForceRule } from './force-rule.ts'
import { DELIVERY_FAULTS } from './outcomes.ts'
import {
  checkOperation,
  checkPath,
  findOperation,
  pathOfOperation,
  withoutBasePath,
} from './rule-path.ts'

/** What rules can name. */
export type RuleNames = Pick<Contract, 'operations' | 'quotaHeaders'>

/** Checks a rule, for these operations. `others` are further fields, such as the key, or stricter ones. */
export function ruleCheck(
  { operations, quotaHeaders = [] }: RuleNames,
  others: Readonly<Record<string, ValueCheck>>,
  required: readonly string[] = [],
): ValueCheck {
  const tags = new Set(operations.flatMap(({ tags: own = [] }) => own))
  const quotaNames = quotaHeaders.map(({ name }) => name.toLowerCase())
  const answer = answerChecks(quotaNames)
  const form = fields(
    {
      ...answer,
      operation: checkOperation(operations),
      tag: oneOf('tag', [...tags]),
      method: oneOf('method', [...new Set(operations.map(({ method }) => method))]),
      path: checkPath,
      where: fields({ query: mapOfAll(SIMPLE_VALUE), body: JSON_DATA }),
      times: integerFrom(1),
      skip: integerFrom(0),
      probability: is(
        'a number > 0 and ≤ 1',
        (value) => typeof value === 'number' && value > 0 && value <= 1,
      ),
      series: checkSeries(fields(answer)),
      flow: NAME,
      from: NAME,
      to: NAME,
      delivery: oneOf('delivery fault', DELIVERY_FAULTS),
      event: NAME,
      subscription: NAME,
      ...others,
    },
    required,
  )
  return (value, path, mistakes) => {
    const before = mistakes.length
    form(value, path, mistakes)
    if (mistakes.length > before || !isAnswer(value)) return
    const at = { rule: value, path, mistakes }
    checkDelivery(at)
    if (value.delivery === undefined) checkAnswer(at)
    checkSequence(at)
    checkExamples(at, operations)
  }
}

/** The fields of a rule for deliveries, also of a saved one. The others are about requests and their answers. */
const DELIVERY_FIELDS = [
  ...['delivery', 'event', 'subscription', 'times', 'skip', 'probability', 'latency'],
  ...['flow', 'from', 'to', 'id', 'matched', 'forced', 'random', 'state'],
]

/** Whether a rule is either for requests or for deliveries. */
function checkDelivery(at: CheckedAnswer): void {
  const { delivery, event, subscription, latency } = at.rule
  if (delivery === undefined) {
    const because = 'only a rule with a delivery fault is for events'
    if (event !== undefined) refuseField(at, 'event', because)
    if (subscription !== undefined) refuseField(at, 'subscription', because)
    return
  }
  const others = Object.entries(at.rule).filter(
    ([name, value]) => value !== undefined && !DELIVERY_FIELDS.includes(name),
  )
  for (const [name] of others) refuseField(at, name, 'the rule is for deliveries')
  if (latency !== undefined && delivery !== 'late')
    refuseField(at, 'latency', `the delivery fault "${delivery}" has none`)
}

/** Whether a series and a flow are complete, and go with the other fields. */
function checkSequence(at: CheckedAnswer): void {
  const { series, flow, from, to, probability } = at.rule
  if (series) {
    for (const name of FIELDS_OF_SERIES) {
      if (at.rule[name] !== undefined)
        refuseField(at, name, 'each answer of the series has its own')
    }
    if (probability !== undefined)
      refuseField(at, 'probability', 'a series answers each matching request')
  }
  if (flow === undefined) {
    if (from !== undefined) refuseField(at, 'from', 'it is a state of a flow, and there is no flow')
    if (to !== undefined) refuseField(at, 'to', 'it is a state of a flow, and there is no flow')
  } else if (from === undefined && to === undefined) {
    refuseField(at, 'flow', 'there is no state from or to which it leads')
  }
}

/** Whether some operation of the rule has each example that it names. */
function checkExamples({ rule, path, mistakes }: CheckedAnswer, all: readonly Operation[]): void {
  const { operation, tag, method, series = [] } = rule
  const answersByPath = [
    { answer: rule, at: path },
    ...series.map((answer, index) => ({ answer, at: [...path, 'series', index] })),
  ]
  for (const { answer, at } of answersByPath) {
    if (!isObject(answer) || answer.example === undefined) continue
    const { status, outcome, example } = answer
    const matching = all.filter(
      (one) =>
        (operation === undefined || one === findOperation(operation, all)) &&
        (tag === undefined || one.tags?.includes(tag)) &&
        (method ?? one.method) === one.method,
    )
    const wanted = outcome === undefined && typeof status === 'number' ? status : undefined
    const known = new Set(matching.flatMap((one) => exampleNames(one, wanted)))
    if (mistakes.length === 0) oneOf('example', [...known])(example, [...at, 'example'], mistakes)
  }
}

/** Whether a text is a key whose requests a rule can be about: one of these, or any one where every credential is valid. */
export function checkKey(known: readonly string[], acceptsAny: boolean): ValueCheck {
  return acceptsAny ? NAME : oneOf('API key', known)
}

/** A checked copy of a rule, with the id of its operation. Throws a UsageError for one that is not valid. */
export function checkedRule(given: object, contract: Contract, keys: Keys): ForceRule {
  const known = keys.list().map(({ key }) => key)
  const check = ruleCheck(contract, {
    key: checkKey(known, keys.acceptsAny),
    path: pathOfOperation(contract),
  })
  const rule: unknown = given
  const [mistake] = mistakesIn(rule, check)
  if (mistake || !isAnswer(rule)) throw invalidRule(given, mistake)
  const { operation, path, ...others } = rule
  const found = operation === undefined ? undefined : findOperation(operation, contract.operations)

  return JSON.parse(
    JSON.stringify({
      ...(others.outcome !== undefined && { outcome: others.outcome }),
      ...(found && { operation: found.id }),
      ...(path !== undefined && { path: withoutBasePath(path, contract.basePath) }),
      ...others,
    }),
  )
}

function invalidRule(given: object, mistake: ValueMistake | undefined): UsageError {
  const item = mistake ? toErrorItem(mistake) : { reason: 'the rule is not valid' }
  const place = mistake?.path.length === 0 && { location: undefined }

  return new UsageError({ code: 'invalid_rule', task: `force ${nameOf(given)}`, ...item, ...place })
}

/** What a rule forces, such as `"rate-limited"` or `a response 409 of createBook`. */
function nameOf(given: { readonly [Name in keyof ForceRule]?: unknown }): string {
  const { outcome, status, operation, delivery } = given
  if (delivery !== undefined) return `"${shortened(String(delivery))}"`
  if (outcome !== undefined) return `"${shortened(String(outcome))}"`
  const answer = status === undefined ? 'an answer' : `a response ${shortened(String(status))}`

  return operation === undefined ? answer : `${answer} of ${shortened(String(operation))}`
}
