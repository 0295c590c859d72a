import { Ajv2020, type Options, type ValidateFunction } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import type { Check, Schema } from '../contract/contract.ts'
import { inTime, safeLength, UNENDING } from './time-limit.ts'

/**
 * Ajv as contracts use it: every error is told, keywords and formats that it does not know are
 * ignored.
 */
export function createAjv(code: Options['code'] = {}, inlineRefs = true): Ajv2020 {
  const ajv = new Ajv2020({
    inlineRefs,
    // 8.2 is a multiple of 0.01, though not in binary fractions.
    multipleOfPrecision: 9,
    allErrors: true,
    strict: false,
    logger: false,
    // Whether a schema is one was found out when the document was loaded.
    validateSchema: false,
    code: { regExp: toRegExp, ...code },
  })
  formats.default(ajv)
  // Exactness is the reader's business; it sees the digits, which a number no longer has.
  ajv.addFormat('int64', true)
  ajv.addFormat('regex', true)

  return ajv
}

/**
 * A check that is compiled when it is first asked for, so that large documents start as fast as
 * small ones. A value that it cannot check within a second is refused.
 */
export function createCheck(schema: Schema, compile: (schema: Schema) => ValidateFunction): Check {
  let compiled: ValidateFunction | undefined
  let safe = Number.POSITIVE_INFINITY
  const check: Check = (value) => {
    if (!compiled) {
      compiled = compile(schema)
      safe = safeLength(schema)
    }
    const isTimed = Number.isFinite(safe)
    const isValid = isTimed ? inTime<boolean>(compiled, value, safe) : compiled(value)
    check.errors = isValid === undefined ? [UNENDING] : (compiled.errors ?? null)

    return isValid ?? false
  }

  return check
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
