import type { QueryCondition } from '../contract/query-condition.ts'

/** The parts of a path key of a document. */
export interface PathKey {
  /** The path template, without query and fragment. */
  readonly template: string
  /** What a query or a fragment in the key demands of a request. */
  readonly conditions: readonly QueryCondition[]
}

/** A form-style expansion of RFC 6570, such as `{?page,size}`: the query has these parameters, the path does not. */
const QUERY_EXPANSION = /\{[?&#][^{}]*\}/g

/**
 * Splits a path key such as `/x?action=list` or `/#X-Amz-Target=List`, with which documents distinguish operations on one path.
 * Most keys are only a template.
 */
export function parsePathKey(key: string): PathKey {
  if (!/[?#]/.test(key)) return { template: key, conditions: [] }
  const plain = key.replace(QUERY_EXPANSION, '')
  const [beforeFragment = '', ...fragments] = plain.split('#')
  const [template = '', ...queries] = beforeFragment.split('?')

  return {
    template,
    conditions: [
      ...queries.flatMap((query) => conditionsOf(query)),
      ...fragments.flatMap((fragment) => conditionsOf(fragment, true)),
    ],
  }
}

function conditionsOf(query: string, orHeader?: true): QueryCondition[] {
  return [...new URLSearchParams(query)].map(([name, value]) => ({
    name,
    // A value such as `{id}` is a parameter.
    ...(value !== '' && !/^\{.*\}$/.test(value) && { value }),
    ...(orHeader && /^[\w-]+$/.test(name) && { orHeader }),
  }))
}
