import { getOwn } from '../../validation/objects.ts'
import { encodeLiteral, parseTemplate } from '../path-pattern.ts'
import type { Match } from '../router.ts'

/** How many splits of a path are tried, and in how many steps they are looked for. */
const MAX_SPLITS = 100
const MAX_STEPS = 2000

const SEVERAL_IN_ONE_SEGMENT = /\}[^/]*\{/

/**
 * The ways to split a path among its parameters, where a segment has several, such as `/{from}{to}`. The first parameters match as
 * much as they can in the first ones. A long path has more ways than are returned.
 */
export function* otherSplits(
  template: string,
  sent: Match['pathParameters'],
): Generator<Match['pathParameters']> {
  if (!SEVERAL_IN_ONE_SEGMENT.test(template)) return
  const { literals, names } = parseTemplate(template)
  const [, ...between] = literals.map(encodeLiteral)
  between.pop()
  const path = names.map((name, at) => (getOwn(sent, name) ?? '') + (between[at] ?? '')).join('')
  const budget = { steps: MAX_STEPS }
  let count = 0
  for (const values of splits(path, between, budget)) {
    if (count === MAX_SPLITS) return
    count += 1
    yield Object.fromEntries(names.map((name, at) => [name, values[at] ?? '']))
  }
}

/** The values of the parameters between literal texts. A value is never empty, and is in one segment. */
function* splits(
  text: string,
  [literal, ...others]: readonly string[],
  budget: { steps: number },
): Generator<readonly string[]> {
  const slash = text.indexOf('/')
  const end = slash === -1 ? text.length : slash
  if (literal === undefined) {
    if (text !== '' && slash === -1) yield [text]
    return
  }
  for (let at = end; at > 0 && budget.steps > 0; at -= 1) {
    budget.steps -= 1
    if (!text.startsWith(literal, at) || isInEscape(text, at)) continue
    for (const values of splits(text.slice(at + literal.length), others, budget)) {
      yield [text.slice(0, at), ...values]
    }
  }
}

/** Whether a position is inside of a percent-encoded octet. */
function isInEscape(text: string, at: number): boolean {
  return text[at - 1] === '%' || text[at - 2] === '%'
}
