import { plainName } from '../contract/plain-name.ts'

/** The plain forms of a word: as it is, and without the endings of a plural. */
export function formsOf(word: string): readonly string[] {
  const plain = plainName(word)
  const forms = [plain]
  if (plain.endsWith('ies')) forms.push(`${plain.slice(0, -3)}y`)
  if (plain.endsWith('es')) forms.push(plain.slice(0, -2))
  if (plain.endsWith('s') && !plain.endsWith('ss')) forms.push(plain.slice(0, -1))
  else forms.push(`${plain}s`)

  return forms.filter((form) => form.length > 1)
}

/** Whether two words are the same, one of them in the plural perhaps. */
export function isSameWord(one: string, other: string): boolean {
  const forms = formsOf(one)
  return formsOf(other).some((form) => forms.includes(form))
}

/** The words of a name in lower case: `state`, `province` and `id` of `stateProvinceId` and of `state-province_id`. */
export function wordsOf(name: string): readonly string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1 $2')
    .split(/[^A-Za-z0-9]+/)
    .flatMap((word) => (word === '' ? [] : word.toLowerCase()))
}
