import { createContext, Script } from 'node:vm'
import type { CheckError } from '../../contract/contract.ts'
import { isNode, type Node } from './node.ts'

/** How long a check may take, in milliseconds; nearly all take a thousandth of one. */
const LIMIT = 1000

/** Of so few characters, a pattern that was written in good faith has soon tried all there is to try. */
const SHORT = 16

/** What a check finds that does not end in time, in Ajv's terms. */
export const UNENDING: CheckError = {
  instancePath: '',
  keyword: 'time',
  params: {},
  message: `takes more than ${LIMIT / 1000} second to check, by a pattern or by "uniqueItems"`,
}

/** Characters and classes of them, each once or a fixed number of times. */
const FIXED = String.raw`(?:[^\\()[\]{}|*+?^$]|\\[^pPk]|\[(?:[^\\\]]|\\.)*\]|\{\d+\})*`

/** Patterns that begin at the start of a text, and leave open how often for one of them alone: they never go far back. */
const STRAIGHT = new RegExp(`^\\^${FIXED}(?:[*+?]|\\{\\d+,\\d*\\})?${FIXED}\\$?$`)

const SCALARS: readonly unknown[] = ['string', 'integer', 'number', 'boolean']

/** Whether the time that checks by this schema take may grow faster than the value. */
export function isCostly(schema: unknown): boolean {
  if (Array.isArray(schema)) return schema.some(isCostly)
  if (!isNode(schema)) return false
  return hasCostlyKeyword(schema) || Object.values(schema).some(isCostly)
}

function hasCostlyKeyword({
  pattern,
  patternProperties,
  format,
  uniqueItems,
  items,
}: Node): boolean {
  const patterns = [pattern, ...(isNode(patternProperties) ? Object.keys(patternProperties) : [])]
  const isLate = patterns.some((one) => typeof one === 'string' && !STRAIGHT.test(one))
  // Of the formats that Ajv knows, this one alone takes quadratic time.
  if (isLate || format === 'url') return true

  return uniqueItems === true && !(isNode(items) && SCALARS.includes(items.type))
}

const script = new Script('check()')
const context: { check?: () => unknown } = {}

/** What a check says of a value; `undefined` when it does not end in time. A regular expression cannot be ended otherwise. */
export function inTime<T>(check: (value: unknown) => T, value: unknown): T | undefined {
  if (typeof value !== 'object' && String(value).length <= SHORT) return check(value)
  let result: T | undefined
  context.check = () => {
    result = check(value)
  }
  try {
    script.runInContext(createContext(context), { timeout: LIMIT })
  } catch (error) {
    // The error is of the script's own realm, and no Error of this one.
    const isLate = isNode(error) && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT'
    if (!isLate) throw error
  }
  return result
}
