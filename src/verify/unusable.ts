import type { Answer } from './answer.ts'
import { brief } from './judge.ts'

/** So many answers of the same useless kind are enough. */
const ENOUGH = 3

/** Why a target is not worth asking on, judged by its first answers; `undefined` when it is. */
export function unusable(answers: readonly Answer[]): string | undefined {
  const [first] = answers
  if (!first) return undefined
  const location = first.headers.get('Location')
  if (first.status >= 300 && first.status < 400) {
    return `it redirects to ${location ?? 'nowhere'}: give the address that answers`
  }
  const isKeyed = first.question.credentials === 'key'
  if (isKeyed && (first.status === 401 || first.status === 403) && answers.length === 1) {
    return `it refuses the key with a ${first.status}: give a valid one with --key`
  }
  if (answers.length !== ENOUGH) return undefined
  if (answers.every(isPage)) {
    return `it answers HTML (${first.status}), not JSON: is this the base address of the API?`
  }
  if (answers.every(({ status }) => status === 404)) {
    return 'it answers 404 to everything: is this the base address, version segment included?'
  }
  if (answers.every(({ status }) => status >= 500)) {
    return `it answers ${first.status} to everything`
  }
  if (answers.every(({ value, status }) => value === undefined && status !== 204)) {
    return `its answers are no JSON: ${brief(first)}`
  }
  return undefined
}

function isPage({ text }: Answer): boolean {
  return /^\s*<(!doctype|html|\?xml|\w+[\s>])/i.test(text)
}
