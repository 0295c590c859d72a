import { isSameWord, wordsOf } from './names.ts'

/** What the records of a collection are called by. */
export interface RecordNames {
  /** The path of the collection, such as `/accounts/{accountId}/holdings`. */
  readonly path: string
  /** The path parameter that contains the id. */
  readonly parameter: string
}

/** The words that say that a name is that of an id. */
const ID_WORD = /^(id|uuid|gid|guid|sid|key|name|number|ref|identifier|slug|code|token)$/

/**
 * Whether a property is called an id of the records, by words of their path: `policyId` below `/life-insurance-policies`, `accountHoldingId`
 * below `/accounts/{accountId}/holdings`, `receiptRuleId` of `/receipts/{ruleId}`, and `branchName` of `/branch-rules/{name}`. Another
 * property without the last word of the collection or the parameter, such as `accountId`, contains the id of another record.
 */
export function isNamedAfter(property: string, { path, parameter }: RecordNames): boolean {
  const words = wordsOf(property)
  const ids = words.filter((word) => ID_WORD.test(word))
  const names = words.filter((word) => !ID_WORD.test(word))
  if (ids.length !== 1 || names.length === 0) return false
  const inPath = path.split('/').flatMap((part) => (part.includes('{') ? [] : wordsOf(part)))
  const inParameter = wordsOf(parameter).filter((word) => !ID_WORD.test(word))
  const own = [inPath.at(-1) ?? '', inParameter.at(-1) ?? '']
  // Every record has an id, but not every record has a name or a code in its path.
  if (parameter !== 'id' && ids[0] === wordsOf(parameter).join('')) {
    const last = wordsOf(path.split('/').at(-1) ?? '')
    return names.every((name) => isAmong(name, last))
  }
  return (
    names.every((name) => isAmong(name, [...inPath, ...inParameter])) &&
    names.some((name) => isAmong(name, own))
  )
}

function isAmong(name: string, words: readonly string[]): boolean {
  return words.some((word) => isSameWord(word, name))
}
