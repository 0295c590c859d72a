import type { Schema } from '../contract/contract.ts'
import type { OperationHints } from '../contract/hints.ts'
import { plainName, propertiesOf, typesIn } from '../contract/schema.ts'

// A record that is made of another one.

/** What actions are called that make another record of one. */
export const COPY: RegExp = /^(copy|clone|duplicate|fork)s?$/i
export const FORK: RegExp = /^fork/i

/** What a record was made of, which a new one was not: `forked_from_project`. */
export const COPIED_FROM: RegExp =
  /^(forked|copied|cloned|duplicated)from|^(fork|copy|clone)(of|parent|source)/

/**
 * What a fork has that the first record has not: that it is one, and of which record. `id` is the property with the id, and `parameter` that
 * of the path with the id of the first one.
 */
export function forkEffect(
  record: Schema,
  id: string,
  { collection, parameter = '' }: { readonly collection: string; readonly parameter?: string },
): Pick<OperationHints, 'set' | 'refers'> {
  const set: Record<string, unknown> = {}
  const from = `{original.${id}}`
  for (const [name, schema] of propertiesOf(record)) {
    const plain = plainName(name)
    const isFlag = typesIn(schema).has('boolean')
    if (isFlag && /^(is)?fork(ed)?$/.test(plain)) set[name] = true
    else if (!isFlag && COPIED_FROM.test(plain))
      set[name] = propertiesOf(schema).has(id) ? { [id]: from } : from
  }
  if (Object.keys(set).length === 0) return {}

  return { set, refers: { original: { in: collection, id: `{path.${parameter}}` } } }
}
