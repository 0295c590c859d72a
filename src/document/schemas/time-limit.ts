import { type Context, createContext, Script } from 'node:vm'
import type { Schema, ValidationError } from '../../contract/contract.ts'
import { isObject } from '../../validation/objects.ts'
import { asObject, type JsonObject } from '../json-value.ts'
import { subschemasOf } from './subschemas.ts'
import { isInPlace } from './write-schema.ts'

/** The error of a validation that reached the time limit. */
export function timeLimitError(timeLimit: number): ValidationError {
  return {
    instancePath: '',
    keyword: 'time',
    params: {},
    message: `takes more than ${timeLimit / 1000} second to validate, because of a pattern, "uniqueItems" or nested alternatives`,
  }
}

/**
 * The number of steps that an untimed validation of one string may take. It takes a few milliseconds; setting a time limit
 * takes a tenth of one.
 */
const MAX_UNTIMED_STEPS = 1e6

/** The number of values that an untimed validation may visit. */
const MAX_UNTIMED_VALUES = 100

/** The length up to which a pattern with nested repeats, written in good faith, has tried all its alternatives soon. */
const NESTED_REPEAT_LENGTH = 16

/** The length of strings and names up to which validation by the keywords of this schema needs no time limit. */
export function untimedLength(schema: unknown): number {
  return isObject(schema) ? Math.min(...ownLengths(schema)) : Number.POSITIVE_INFINITY
}

function ownLengths(schema: JsonObject): readonly number[] {
  const { pattern, patternProperties, uniqueItems } = schema
  const patterns = [pattern, ...(isObject(patternProperties) ? Object.keys(patternProperties) : [])]

  return [
    ...patterns.flatMap((one) => (typeof one === 'string' ? [patternLength(one)] : [])),
    ...(uniqueItems === true ? [MAX_UNTIMED_STEPS ** 0.5] : []),
  ]
}

/** What in a pattern is no repeat, although it has the characters of one: an escaped character, a class, the start of a group. */
const NO_REPEAT = /\\.|\[(?:\\.|[^\]\\])*\]|\(\?(?:<?[=!]|[:<])/gsu

/** A group without choices that is repeated a number of times, such as `(?:[0-9a-f]{4}-){3}`. */
const FIXED_GROUP = /\([^()*+?|,]*\)\{\d+\}/g

/** Repeats with two ends and at most this many choices take as many times as long; others are taken for open ones. */
const MAX_CHOICES = 100

/**
 * Without repeated groups, the steps are a power of the length: one factor for each open repeat, and one for the start. A repeat with
 * two ends multiplies them by its choices. A group that may be left out is one of two choices.
 */
export function patternLength(pattern: string): number {
  const text = pattern
    .replace(NO_REPEAT, (found) => (found.startsWith('(') ? '(' : 'x'))
    .replace(FIXED_GROUP, 'x')
  if (/\)[*+{]/.test(text)) return NESTED_REPEAT_LENGTH
  let open = 0
  let steps = MAX_UNTIMED_STEPS
  for (const [repeat, from, to] of text.matchAll(/[*+?]|\{(\d+),(\d*)\}/g)) {
    const choices = to ? Number(to) - Number(from) + 1 : Number.POSITIVE_INFINITY
    if (repeat === '?') steps /= 2
    else if (choices <= MAX_CHOICES) steps /= choices
    else open += 1
  }
  const least = text.includes(')?') ? NESTED_REPEAT_LENGTH : 1

  return Math.max(least, Math.max(1, steps) ** (1 / (open + 1)))
}

/** Whether a value is so large that validating it needs a time limit. */
export function needsTimeLimit(value: unknown, maxLength: number): boolean {
  return Number.isFinite(maxLength) && !isSmall(value, maxLength, { values: MAX_UNTIMED_VALUES })
}

function isSmall(value: unknown, maxLength: number, left: { values: number }): boolean {
  left.values -= 1
  if (left.values < 0) return false
  if (typeof value === 'string') return value.length <= maxLength
  if (typeof value !== 'object' || value === null) return true
  if (Array.isArray(value) && value.length > left.values) return false

  return Object.entries(value).every(
    ([name, inner]) => name.length <= maxLength && isSmall(inner, maxLength, left),
  )
}

/**
 * Whether a value is nested so deeply that validating it needs a time limit. `applied` is the greatest number of schemas that
 * apply to one value: when each of them applies as many to the inner values, the steps are a power of the depth.
 */
export function isDeep(value: unknown, applied: number): boolean {
  return applied > 1 && isDeeperThan(value, Math.log(MAX_UNTIMED_STEPS) / Math.log(applied))
}

function isDeeperThan(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (depth < 1) return true
  return Object.values(value).some((inner) => isDeeperThan(inner, depth - 1))
}

const script = new Script('run()')
const sandbox: { run?: () => void } = {}
let context: Context | undefined

/**
 * Calls a function; `undefined` when it takes more than so many milliseconds. Only the timeout of a script can interrupt a
 * regular expression.
 */
export function runInTime<Result>(run: () => Result, timeLimit: number): Result | undefined {
  // Node takes integers.
  const timeout = Math.floor(timeLimit)
  if (timeout < 1) return undefined
  context ??= createContext(sandbox)
  let result: Result | undefined
  sandbox.run = () => {
    result = run()
  }
  try {
    script.runInContext(context, { timeout })
  } catch (error) {
    // The error belongs to the script's own realm, so `instanceof Error` is false.
    const isTimeout = isObject(error) && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT'
    if (!isTimeout) throw error
    return undefined
  }
  return result
}

/** Up to which length of strings, and with how many schemas for one value, a validation needs no time limit. */
interface Limits {
  readonly length: number
  readonly applied: number
}

/** A validator whose schema contains more schemas than this has the limits of all schemas that were reached so far. */
const MAX_OWN_SCHEMAS = 2000

/** The limits of validators, found in time that is linear in the number of schemas. */
export class TimeLimits {
  readonly #known = new WeakMap<Schema, Limits>()
  /** The schemas with more than {@link MAX_OWN_SCHEMAS}. */
  readonly #large = new WeakSet<Schema>()
  readonly #visited = new Set<unknown>()
  readonly #applied = new Map<unknown, number>()
  #ofAll: Limits = { length: Number.POSITIVE_INFINITY, applied: 1 }

  of(schema: Schema): Limits {
    const known = this.#known.get(schema)
    if (known) return known
    const own = this.#large.has(schema)
      ? undefined
      : this.#visit(schema, new Set(), MAX_OWN_SCHEMAS)
    if (own) {
      this.#known.set(schema, own)
      return own
    }
    this.#large.add(schema)
    const { length, applied } = this.#visit(schema, this.#visited) ?? this.#ofAll
    this.#ofAll = {
      length: Math.min(this.#ofAll.length, length),
      applied: Math.max(this.#ofAll.applied, applied),
    }
    return this.#ofAll
  }

  /** The limits of a schema with all schemas inside it, except visited ones; `undefined` when there are more than `max`. */
  #visit(
    schema: Schema,
    visited: Set<unknown>,
    max = Number.POSITIVE_INFINITY,
  ): Limits | undefined {
    let length = Number.POSITIVE_INFINITY
    let applied = 1
    const open: unknown[] = [schema]
    for (let one = open.pop(); one !== undefined; one = open.pop()) {
      if (typeof one !== 'object' || one === null || visited.has(one)) continue
      visited.add(one)
      if (visited.size > max) return undefined
      length = Math.min(length, untimedLength(one))
      applied = Math.max(applied, this.#appliedBy(one))
      for (const [inner] of subschemasOf(one as Schema)) open.push(inner)
    }
    return { length, applied }
  }

  /** How many schemas a schema applies to the same value. Schemas of a contract do not apply themselves. */
  #appliedBy(schema: unknown): number {
    const known = this.#applied.get(schema)
    if (known !== undefined) return known
    // A schema that was given by a program may apply itself.
    this.#applied.set(schema, 1)
    let applied = 1
    for (const [inner, [keyword = '']] of subschemasOf(asObject(schema))) {
      if (isInPlace(keyword)) applied += this.#appliedBy(inner)
    }
    this.#applied.set(schema, applied)

    return applied
  }
}
