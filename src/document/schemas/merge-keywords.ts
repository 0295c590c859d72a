import type { Draft } from './read-keywords.ts'
import { withNull } from './schema-dialect.ts'
import { isHint } from './schema-keywords.ts'

/** A schema that is made of another one. */
export interface Merge {
  readonly base: Draft
  /** The keywords that are added. */
  readonly own: Draft
  readonly isNullable: boolean
}

/** Keywords that describe a value and do not restrict it. */
const ANNOTATIONS: ReadonlySet<string> = new Set([
  ...['default', 'readOnly', 'writeOnly', 'example', 'examples'],
])

/** The keywords of the target of a `$ref`, and those beside the `$ref`. When both restrict the same, both apply. */
function mergeKeywords(base: Draft, own: Draft): Draft {
  const isMergeable = Object.keys(own).every(
    (key) => ANNOTATIONS.has(key) || isHint(key) || !Object.hasOwn(base, key),
  )
  const branches = Array.isArray(own.allOf) ? own.allOf : []

  return isMergeable ? { ...base, ...own } : { ...own, allOf: [base, ...branches] }
}

/** The keywords of a schema that is made of another one. */
export function merged({ base, own, isNullable }: Merge): Draft {
  const keywords = mergeKeywords(base, own)
  return isNullable ? { ...withNull(keywords) } : keywords
}
