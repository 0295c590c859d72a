import type { Keys } from '../access/keys.ts'
import type { Contract, Operation } from '../contract/contract.ts'
import { encodeLiteral, PathPattern } from '../contract/path-pattern.ts'
import { DURATION_RANGE } from '../time/clock.ts'
import { isObject } from '../validation/objects.ts'
import { shortened, suggest, UsageError } from '../validation/usage-error.ts'
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

/** In characters. In the worst case, matching a path takes time in proportion to this length. */
const MAX_PATH_LENGTH = 2000

const PATH = is(
  'a path as /books/*',
  (value) => typeof value === 'string' && /^\/\P{Cs}*$/u.test(value),
)

const TOO_LONG = is(`a path of at most ${MAX_PATH_LENGTH} characters`, () => false)

/** The operations of a contract, and where they are served. */
interface RulePaths {
  readonly operations: readonly Pick<Operation, 'path'>[]
  readonly basePath: string
}

/** Checks the form of a rule's path. */
const checkPath: ValueCheck = (value, ...rest) => {
  const isLong = typeof value === 'string' && value.length > MAX_PATH_LENGTH
  return (isLong ? TOO_LONG : PATH)(value, ...rest)
}

/** Checks the path of a rule, which has to match requests of some operation. */
export function pathOfOperation({ operations, basePath }: RulePaths): ValueCheck {
  return (value, path, mistakes) => {
    const before = mistakes.length
    checkPath(value, path, mistakes)
    if (mistakes.length > before) return
    const given = String(value)
    const below = withoutBasePath(given, basePath)
    const templates = [...new Set(operations.map((operation) => operation.path))]
    if (templates.some((template) => canMatch(below, template))) return
    const reason = `no operation has the path ${JSON.stringify(given)}`
    mistakes.push({ path, part: 'value', reason, ...nearest(below, templates) })
  }
}

/** The path of a rule below the base path. */
export function withoutBasePath(path: string, basePath: string): string {
  return path.startsWith(`${basePath}/`) ? path.slice(basePath.length) : path
}

/** The pattern of a rule's path: `*` stands for any text of a segment. */
export function rulePattern(path: string): PathPattern {
  return new PathPattern(path.replace(/\*+/g, '{any}'))
}

/** Whether some path matches both. Where both have parameters in one segment, it is taken to be so. */
function canMatch(rulePath: string, template: string): boolean {
  const rules = segmentsOf(rulePath.replace(/\*+/g, '{any}'))
  const segments = segmentsOf(template)
  if (rules.length !== segments.length) return false

  return rules.every((rule, at) => {
    const segment = segments[at] ?? ''
    if (!hasParameter(rule))
      return new PathPattern(segment).match(encodeLiteral(rule)) !== undefined
    return (
      hasParameter(segment) || new PathPattern(rule).match(encodeLiteral(segment)) !== undefined
    )
  })
}

/** A trailing slash makes no difference. */
function segmentsOf(path: string): readonly string[] {
  return path.replace(/(?<=.)\/$/, '').split('/')
}

function hasParameter(segment: string): boolean {
  return /\{[^}]+\}/.test(segment)
}

/** The nearest template, compared with the values of the rule in the place of its parameters. */
function nearest(path: string, templates: readonly string[]): ReturnType<typeof suggest> {
  const given = segmentsOf(path)
  const filled = templates.map((template) =>
    segmentsOf(template)
      .map((segment, at) => (hasParameter(segment) ? (given[at] ?? segment) : segment))
      .join('/'),
  )
  const { suggestion } = suggest(path, filled)
  const found = suggestion === undefined ? undefined : templates[filled.indexOf(suggestion)]

  return { suggestion: found, allowed: templates }
}
