import { createContext, Script } from 'node:vm'
import { Ajv2020, type Options, type ValidateFunction } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import type { Schema, SchemaValidator, ValidationError } from '../contract/contract.ts'
import { isNode, type Node } from './node.ts'

/**
 * Makes checks of schemas, all by one Ajv; those that speak of inherited names, by another. A check that takes more than
 * `timeLimit` milliseconds fails.
 */
export function createChecker(timeLimit: number = TIME_LIMIT): (schema: Schema) => SchemaValidator {
  const ajv = createAjv()
  let careful: Ajv2020 | undefined

  return (schema) => {
    if (!hasInheritedName(JSON.stringify(schema))) return createCheck(schema, ajv, timeLimit)
    careful ??= createAjv({ ownProperties: true })
    return createCheck(schema, careful, timeLimit)
  }
}

const INHERITED = new RegExp(`"(?:${Object.getOwnPropertyNames(Object.prototype).join('|')})"`)

/**
 * Whether a schema, as JSON, has a property that may be called as one that every object inherits: "constructor". To look at
 * objects' own properties alone makes a check two and a half times as slow.
 */
export function hasInheritedName(schema: string): boolean {
  return INHERITED.test(schema)
}

/**
 * A check that is compiled when it is first asked for, so that large documents start as fast as
 * small ones. A value that it cannot check within `timeLimit` milliseconds is refused.
 */
function createCheck(schema: Schema, ajv: Ajv2020, timeLimit: number): SchemaValidator {
  let compiled: ValidateFunction | undefined
  let safe = Number.POSITIVE_INFINITY
  const check: SchemaValidator = (value) => {
    if (!compiled) {
      compiled = ajv.compile(schema)
      safe = safeLength(schema)
    }
    // Texts up to the safe length are not watched.
    const isTimed = Number.isFinite(safe) && !isSmall(value, safe, { values: FEW })
    const isValid = isTimed ? inTime(compiled, value, timeLimit) : compiled(value)
    check.errors = isValid === undefined ? [unending(timeLimit)] : (compiled.errors ?? null)

    return isValid ?? false
  }

  return check
}

/**
 * Ajv as contracts use it: every error is told, keywords and formats that it does not know are
 * ignored.
 */
export function createAjv({ code, ...options }: Options = {}): Ajv2020 {
  const ajv = new Ajv2020({
    // 8.2 is a multiple of 0.01, though not in binary fractions.
    multipleOfPrecision: 9,
    allErrors: true,
    strict: false,
    logger: false,
    // Whether a schema is one was found out when the document was loaded.
    validateSchema: false,
    code: { regExp: toRegExp, ...code },
    ...options,
  })
  formats.default(ajv)
  // Exactness is the reader's business; it sees the digits, which a number no longer has.
  ajv.addFormat('int64', true)
  ajv.addFormat('regex', true)

  return ajv
}

/** Whether a text is a regular expression to JavaScript, with the `u` flag or without. */
export function isPattern(text: string): boolean {
  try {
    toRegExp(text, 'u')
    return true
  } catch {
    return false
  }
}

/**
 * JSON Schema means the `u` flag, under which many a pattern found in the wild, as `[\w-.]`, is
 * none.
 */
function toRegExp(pattern: string, flags: string): RegExp {
  try {
    return new RegExp(pattern, flags)
  } catch {
    return new RegExp(pattern)
  }
}
// Standalone code spells the constructor out.
toRegExp.code = 'new RegExp'

/** How long a check may take, in milliseconds; nearly all take a thousandth of one. */
const TIME_LIMIT = 1000

/** What a check finds that does not end in time, in Ajv's terms. */
function unending(timeLimit: number): ValidationError {
  return {
    instancePath: '',
    keyword: 'time',
    params: {},
    message: `takes more than ${timeLimit / 1000} second to check, by a pattern or by "uniqueItems"`,
  }
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
 * What a check says of a value; `undefined` when it does not end in time. A regular expression that is under way can be
 * ended in no other manner.
 */
function inTime(
  check: (value: unknown) => boolean,
  value: unknown,
  timeLimit: number,
): boolean | undefined {
  let result: boolean | undefined
  context.check = () => {
    result = check(value)
  }
  try {
    script.runInContext(createContext(context), { timeout: timeLimit })
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
