import { createContext, Script } from 'node:vm'
import type { CheckError } from '../contract/contract.ts'
import { isNode, type Node } from './node.ts'

/** How long a check may take, in milliseconds; nearly all take a thousandth of one. */
const LIMIT = 1000

/** What a check finds that does not end in time, in Ajv's terms. */
export const UNENDING: CheckError = {
  instancePath: '',
  keyword: 'time',
  params: {},
  message: `takes more than ${LIMIT / 1000} second to check, by a pattern or by "uniqueItems"`,
}

/** So many steps a value of a short text may take: a few milliseconds, where watching the time takes a tenth of one. */
const STEPS = 1e6

/** So many values, each of a short text, are checked soon enough all the same. */
const FEW = 100

/** Of so few characters, a pattern with repeats in repeats, written in good faith, has soon tried all there is to try. */
const NESTED = 16

/** Up to which length the texts of a value cannot make a check by this schema long. */
export function safeLength(schema: unknown): number {
  if (typeof schema !== 'object' || schema === null) return Number.POSITIVE_INFINITY
  const own = isNode(schema) ? lengthsOf(schema) : []
  const inner: unknown[] = Object.values(schema)

  return [...own, ...inner.map(safeLength)].reduce(
    (least, length) => Math.min(least, length),
    Number.POSITIVE_INFINITY,
  )
}

function lengthsOf({ pattern, patternProperties, format, uniqueItems }: Node): readonly number[] {
  const patterns = [pattern, ...(isNode(patternProperties) ? Object.keys(patternProperties) : [])]
  // Of the formats that Ajv knows, "url" alone takes quadratic time.
  const isQuadratic = format === 'url' || uniqueItems === true

  return [
    ...patterns.flatMap((one) => (typeof one === 'string' ? [safeLengthOf(one)] : [])),
    ...(isQuadratic ? [STEPS ** 0.5] : []),
  ]
}

/** Where no group repeats, the steps grow by a power: of the parts whose length is open, and of where the match starts. */
function safeLengthOf(pattern: string): number {
  if (/\)[*+?{]/.test(pattern)) return NESTED
  const open = pattern.match(/[*+?]|\{\d+,/g) ?? []

  return STEPS ** (1 / (open.length + 1))
}

const script = new Script('check()')
const context: { check?: () => void } = {}

/**
 * What a check says of a value; `undefined` when it does not end in time. Texts up to the `safe` length are not watched. A
 * regular expression that is under way can be ended in no other manner.
 */
export function inTime<T>(
  check: (value: unknown) => T,
  value: unknown,
  safe: number,
): T | undefined {
  if (isSmall(value, safe, { values: FEW })) return check(value)
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

function isSmall(value: unknown, safe: number, left: { values: number }): boolean {
  left.values -= 1
  if (left.values < 0) return false
  if (typeof value === 'string') return value.length <= safe
  if (typeof value !== 'object' || value === null) return true
  if (Array.isArray(value) && value.length > left.values) return false

  return Object.entries(value).every(
    ([name, inner]) => name.length <= safe && isSmall(inner, safe, left),
  )
}
