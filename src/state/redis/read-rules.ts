import type { StoredRule } from '../stored-state.ts'
import { textIn } from './reply.ts'
import { corruptValue } from './store-errors.ts'
import { readRule } from './stored-texts.ts'

/** The states of rules; `undefined` for one that is removed. */
export function readRules(
  texts: readonly unknown[],
  key: string,
): readonly (StoredRule | undefined)[] {
  return texts.map((value) => {
    if (value === null || value === '') return undefined
    const rule = readRule(textIn(value, key))
    if (!rule) throw corruptValue(key)

    return rule
  })
}
