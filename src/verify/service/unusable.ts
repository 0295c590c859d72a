import { brief } from '../facts/judge.ts'
import type { Answer } from './answer.ts'

/** Why a target cannot be tested. */
export interface Verdict {
  readonly reason: string
  /** Whether another address may be the right one. */
  readonly isElsewhere?: true
}

/** So many answers that lead nowhere are enough, and so many failures: one operation alone may be broken. */
const ENOUGH = 3
const MANY = 8

/** Why a target is not worth asking on, judged by its first answers; `undefined` when it is. */
export function unusable(answers: readonly Answer[]): Verdict | undefined {
  const keyed = answers.filter(({ question }) => question.credentials === 'key')
  const [first] = keyed
  if (!first) return undefined
  const { status } = first
  if (status >= 300 && status < 400) return { reason: redirection(first) }
  if (status === 401 || status === 403) {
    return { reason: `it refuses the key with a ${status}: give a valid one with --key` }
  }
  if (answers.length >= MANY && answers.every((one) => one.status >= 500)) {
    return { reason: `it fails everything: ${brief(first)}` }
  }
  const start = keyed.slice(0, ENOUGH)
  return start.length < ENOUGH ? undefined : nowhere(start, first)
}

function redirection({ status, headers, question }: Answer): string {
  const location = headers.get('Location') ?? 'nowhere'
  const { target } = question
  const base = location.endsWith(target) ? location.slice(0, -target.length) : undefined
  return `it redirects (${status}) to ${location}: give ${base ?? 'the address that answers'}`
}

function nowhere(answers: readonly Answer[], first: Answer): Verdict | undefined {
  if (answers.every(isPage)) {
    return { reason: `it answers ${first.status} with HTML, not JSON`, isElsewhere: true }
  }
  if (answers.every(({ status }) => status === 404)) {
    return { reason: 'it answers 404 to everything', isElsewhere: true }
  }
  if (answers.every(({ value, status }) => value === undefined && status < 500)) {
    return { reason: `its answers are no JSON: ${brief(first)}`, isElsewhere: true }
  }
  return undefined
}

function isPage({ text }: Answer): boolean {
  return /^\s*<(!doctype|html|\?xml|\w+[\s>])/i.test(text)
}
