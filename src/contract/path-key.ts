/** The parts of a path key of a document. Some documents distinguish operations on one path by a query or a fragment. */
export interface PathKey {
  /** The path template, without query and fragment. */
  readonly template: string
  /** What the query or the fragment demands of a request. */
  readonly conditions: readonly Condition[]
}

/** A query parameter that tells operations on the same path apart, such as `action=list` of `/x?action=list`. */
export interface Condition {
  readonly name: string
  /** The value that the request must have; absent when any value is right. */
  readonly value?: string
  /** The path parameter that the value is of, such as `id` of `/x?key={id}`. */
  readonly parameter?: string
  /** Whether a header may have the value, too: a fragment, such as `#X-Amz-Target=List`, does not say where it is sent. */
  readonly isFragment: boolean
}

/** A form-style expansion of RFC 6570, such as `{?page,size}`: the query has these parameters, the path does not. */
const QUERY_EXPANSION = /\{[?&#][^{}]*\}/g

/** Splits a path key such as `/x?action=list` or `/#X-Amz-Target=List`. Most keys are only a template. */
export function parsePathKey(key: string): PathKey {
  if (!/[?#]/.test(key)) return { template: key, conditions: [] }
  const plain = key.replace(QUERY_EXPANSION, '')
  const [beforeFragment = '', ...fragments] = plain.split('#')
  const [template = '', ...queries] = beforeFragment.split('?')

  return {
    template,
    conditions: [
      ...queries.flatMap((query) => conditionsOf(query, false)),
      ...fragments.flatMap((fragment) => conditionsOf(fragment, true)),
    ],
  }
}

function conditionsOf(query: string, isFragment: boolean): Condition[] {
  return [...new URLSearchParams(query)].map(([name, value]) => {
    const [, parameter] = /^\{([^{}]+)\}$/.exec(value) ?? []
    if (parameter !== undefined) return { name, parameter, isFragment }
    return value === '' ? { name, isFragment } : { name, value, isFragment }
  })
}
