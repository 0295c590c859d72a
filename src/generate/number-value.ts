import type { Schema } from '../contract/contract.ts'
import { allTexts, limitOf } from './constraints.ts'
import { commonMultiple, decimalsOf, matches } from './matches.ts'
import { isAmount, isMomentName, momentFor, namedNumber } from './named-values.ts'
import type { Maker, Place } from './place.ts'
import type { RandomSource } from './random.ts'
import { numberLikeExample } from './samples.ts'

const INT32 = 2 ** 31

/** A number that matches all of the schemas; `undefined` when none is found. */
export function numberValue(
  schemas: readonly Schema[],
  isInteger: boolean,
  place: Place,
  maker: Maker,
): unknown {
  const isInt = isInteger || allTexts(schemas, 'format').some((one) => /^u?int\d*$/.test(one))
  const steps = [...(isInt ? [1] : []), ...schemas.flatMap(({ multipleOf }) => multipleOf ?? [])]
  const step = steps.reduce<number | undefined>(
    (sum, one) => (sum === undefined ? undefined : commonMultiple(sum, one)),
    steps[0] ?? DEFAULT_STEP,
  )
  if (step === undefined) return maker.fail(place, 'its steps have no common multiple')
  const limits = limitsOf(schemas, isInt)
  const isValid = (value: number): boolean => schemas.every((schema) => matches(schema, value))
  // Some validators divide, so 0.07 is no multiple of 0.01 for them.
  const isExact = (value: number): boolean => steps.every((one) => Number.isInteger(value / one))
  let inexact: number | undefined
  const isTime = schemas.some(({ describedTime }) => describedTime === 'milliseconds')
  const isUnixTime = allTexts(schemas, 'format').some((one) => /^(unix|epoch)/.test(one))
  const moment = (): number => momentFor(place.name, maker.now, place)
  const like = isTime
    ? moment()
    : (numberLikeExample(schemas, place, maker.now) ??
      (isUnixTime ? Math.floor(moment() / 1000) : undefined))
  const range = { min: limits.min, max: limits.max, step, isFree: steps.length === 0, like }
  for (const value of candidates(range, place, maker)) {
    if (!Number.isFinite(value) || !isValid(value)) continue
    if (isExact(value)) return value
    inexact ??= value
  }
  return inexact ?? maker.fail(place, 'no number was found that matches its limits')
}

/** Numbers without a step have two decimals. */
const DEFAULT_STEP = 0.01

interface Limits {
  /** `undefined` where there is no limit. */
  readonly min: number | undefined
  readonly max: number | undefined
}

function limitsOf(schemas: readonly Schema[], isInteger: boolean): Limits {
  const is32 = allTexts(schemas, 'format').includes('int32')
  const lowest = [
    limitOf(schemas, 'minimum', Math.max),
    limitOf(schemas, 'exclusiveMinimum', Math.max),
    ...(is32 ? [-INT32] : []),
  ].filter((limit) => limit !== undefined)
  const highest = [
    limitOf(schemas, 'maximum', Math.min),
    limitOf(schemas, 'exclusiveMaximum', Math.min),
    ...(is32 ? [INT32 - 1] : []),
  ].filter((limit) => limit !== undefined)
  const isLarge = isInteger && highest.some((limit) => limit > Number.MAX_SAFE_INTEGER)
  const min = lowest.length > 0 ? Math.max(...lowest) : undefined
  const max = highest.length > 0 ? Math.min(...highest) : undefined

  return { min, max: isLarge && (min ?? 0) < Number.MAX_SAFE_INTEGER ? undefined : max }
}

interface Range extends Limits {
  readonly step: number
  /** Whether the schemas demand no step. */
  readonly isFree: boolean
  /** A number of the size of an example. */
  readonly like?: number | undefined
}

/** Numbers to try, the most plausible first. */
function* candidates(range: Range, place: Place, maker: Maker): Generator<number> {
  const { random } = place
  const named = namedNumber(place, maker.now, range)
  if (
    range.like !== undefined &&
    (named === undefined || isAmount(place.name) || isMomentName(place.name))
  ) {
    yield* aligned(range.like, range)
  }
  if (named !== undefined) yield* aligned(named, range)
  const usual = usualRange(range)
  for (let attempt = 0; attempt < 20; attempt += 1) {
    yield* aligned(between(usual, random), range)
  }
  const { min, max, step, isFree } = range
  if (min !== undefined)
    yield* [min, Math.ceil(min / step) * step, (Math.floor(min / step) + 1) * step]
  if (max !== undefined)
    yield* [max, Math.floor(max / step) * step, (Math.ceil(max / step) - 1) * step]
  if (isFree && min !== undefined && max !== undefined) {
    yield* [(min + max) / 2, min + (max - min) * 0.25, min + (max - min) * 1e-3]
  }
  yield* [0, 1, -1, 0.5, step, -step]
}

/** The multiples of the step at and beside a number. */
function* aligned(value: number, { step }: Range): Generator<number> {
  const decimals = Math.min(decimalsOf(step), 20)
  const count = Math.round(value / step)
  for (const multiple of [count, count + 1, count - 1, count + 2, count - 2])
    yield Number((multiple * step).toFixed(decimals))
}

/** The limits where the schema has them, else those of everyday numbers. */
function usualRange({ min, max, step }: Range): { readonly min: number; readonly max: number } {
  const width = Math.max(999, step * 20)
  // A limit such as that of 32 bits says nothing of the numbers that are usual.
  const lowest = min !== undefined && min > -WIDE ? min : undefined
  const low = lowest ?? Math.max(min ?? -Infinity, Math.min(1, (max ?? Infinity) - width))
  const high = max ?? low + width
  // Numbers near the lower limit are more plausible than those of a range without a practical end.
  return { min: low, max: min !== undefined && high - low > WIDE ? low + width : high }
}

/** A range that is wider has no practical end. */
const WIDE = 1e6

function between(
  { min, max }: { readonly min: number; readonly max: number },
  random: RandomSource,
): number {
  return min + random.next() * (max - min)
}
