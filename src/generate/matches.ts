import type { Schema } from '../contract/contract.ts'
import { CHECKS, type Matches } from './checks.ts'
import { isTestable } from './pattern.ts'

/** How many schemas a check may apply. A value that needs more is assumed to match, and the validator decides. */
const MAX_STEPS = 30_000

/**
 * Whether a value matches a schema. It needs no compiled validator, so every part of a schema can be checked while a value is
 * generated. It assumes that texts match which would take too long to test.
 */
export function matches(schema: Schema, value: unknown): boolean {
  return run(schema, value, true)
}

/** Whether a value matches a schema, and all its texts are short enough to be tested. */
export function surelyMatches(schema: Schema, value: unknown): boolean {
  return run(schema, value, false)
}

/** `isAssumed` tells whether texts match that would take too long to test. */
function run(schema: Schema, value: unknown, isAssumed: boolean): boolean {
  let left = MAX_STEPS
  const check: Matches = (inner, part) => {
    left -= 1
    if (left < 0) return true
    const { then: _then, else: _else, ...keywords } = inner
    if (!isAssumed && typeof part === 'string' && !isTestable(inner.pattern ?? '', part))
      return false
    return Object.keys(keywords).every((keyword) => {
      const isMet = Object.hasOwn(CHECKS, keyword) ? CHECKS[keyword] : undefined
      return isMet === undefined || isMet(part, inner, check)
    })
  }
  return check(schema, value)
}
