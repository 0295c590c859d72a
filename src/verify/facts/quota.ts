import type { Contract } from '../../contract/contract.ts'
import type { Answer } from '../service/answer.ts'
import { numberIn } from '../service/session.ts'
import type { Fact, Judged, Judgement } from './fact.ts'
import { eachOf, fault, isSuccess } from './judge.ts'

const LIMIT = 'X-RateLimit-Limit'
const REMAINING = 'X-RateLimit-Remaining'
const RESET = 'X-RateLimit-Reset'

/** The longest window of a plan, a day, in milliseconds, with what a clock may be off. */
const LONGEST = 86_400_000 + 60_000

/** What a clock may be off, in milliseconds. */
const TOLERANCE = 2000

/** What the quota headers say, judged over all answers; nothing where the document does not promise them. */
export function quotaFacts({ operations }: Contract): Judged[] {
  const headers = operations.flatMap(({ responses }) =>
    responses.flatMap((one) => one.headers ?? []),
  )
  const promised = new Set(headers.filter(({ required }) => required).map(({ name }) => name))
  if (![LIMIT, REMAINING, RESET].every((name) => promised.has(name))) return []

  return [
    ...[LIMIT, REMAINING, RESET].map(told),
    quota('range', `${REMAINING} is never more than ${LIMIT}`, within),
    quota('future', `${RESET} is a time in Unix seconds that lies ahead, a day at most`, resets),
    stable('constant', `${LIMIT} stays the same within a window`, (before, after) =>
      pair(
        LIMIT,
        before,
        after,
        (from, to) => from === to,
        (from) => `${from}, as before`,
      ),
    ),
    stable('rises', `${REMAINING} does not rise within a window`, (before, after) =>
      pair(
        REMAINING,
        before,
        after,
        (from, to) => to <= from,
        (from) => `at most ${from}`,
      ),
    ),
    stable('falls', `${REMAINING} falls with every request that is served`, (before, after) =>
      isSuccess(after)
        ? pair(
            REMAINING,
            before,
            after,
            (from, to) => to < from,
            (from) => `less than ${from}`,
          )
        : 'passed',
    ),
    byOne(),
  ]
}

function quota(id: string, name: string, judge: (answer: Answer) => Judgement): Judged {
  return {
    ...factAbout(id, name),
    judge: eachOf(({ question }) => question.operation !== undefined, judge),
  }
}

function factAbout(id: string, name: string): Fact {
  return { id: `quota/${id}`, name, clause: 'Limits, Rate limit response headers' }
}

function told(name: string): Judged {
  return quota(name, `Every answer tells ${name}, a whole number`, (answer) =>
    (numberIn(answer.headers, name) ?? -1) >= 0
      ? 'passed'
      : fault(answer, `${name}: a whole number`, answer.headers.get(name) ?? 'it is missing'),
  )
}

function within(answer: Answer): Judgement {
  const [limit, remaining] = [numberIn(answer.headers, LIMIT), numberIn(answer.headers, REMAINING)]
  if (limit === undefined || remaining === undefined) return 'passed'
  return remaining <= limit ? 'passed' : fault(answer, `at most ${limit}`, `${remaining}`)
}

function resets(answer: Answer): Judgement {
  const reset = numberIn(answer.headers, RESET)
  if (reset === undefined) return 'passed'
  const ahead = reset * 1000 - answer.time
  const isNear = ahead >= -TOLERANCE && ahead <= LONGEST
  const now = Math.floor(answer.time / 1000)

  return isNear ? 'passed' : fault(answer, `from ${now} to ${now + 86_400}`, `${RESET}: ${reset}`)
}

/** A fact about answers to the key that follow one another in one window. */
function stable(
  id: string,
  name: string,
  judge: (before: Answer, after: Answer) => Judgement,
): Judged {
  return {
    ...factAbout(id, name),
    judge: (answers) => {
      const pairs = pairsOf(answers)
      if (pairs.length === 0) return { leftOut: 'no two answers of one window came' }
      return pairs.map(([one, two]) => judge(one, two)).find((one) => one !== 'passed') ?? 'passed'
    },
  }
}

function pairsOf(answers: readonly Answer[]): [before: Answer, after: Answer][] {
  const keyed = answers.filter(({ question }) => question.credentials === 'key')
  const resetOf = ({ headers }: Answer): number | undefined => numberIn(headers, RESET)

  return keyed.slice(1).flatMap((after, at): [Answer, Answer][] => {
    const before = keyed[at]
    const isOneWindow =
      before && resetOf(before) !== undefined && resetOf(before) === resetOf(after)
    return isOneWindow ? [[before, after]] : []
  })
}

function pair(
  name: string,
  before: Answer,
  after: Answer,
  isRight: (from: number, to: number) => boolean,
  expected: (from: number) => string,
): Judgement {
  const [from, to] = [numberIn(before.headers, name), numberIn(after.headers, name)]
  if (from === undefined || to === undefined) return 'passed'
  return isRight(from, to) ? 'passed' : fault(after, expected(from), `${name}: ${to}`)
}

/** Others may use the key at the same time: it is wrong only when no request of an operation took one alone. */
function byOne(): Judged {
  return {
    ...factAbout('by-one', `${REMAINING} falls by one for each request, not by more`),
    judge: (answers) => {
      const groups = new Map<unknown, { steps: number[]; last: Answer }>()
      for (const [before, after] of pairsOf(answers)) {
        const [from, to] = [numberIn(before.headers, REMAINING), numberIn(after.headers, REMAINING)]
        if (from === undefined || to === undefined || !isSuccess(after)) continue
        const { operation } = after.question
        const steps = [...(groups.get(operation)?.steps ?? []), from - to]
        groups.set(operation, { steps, last: after })
      }
      const told = [...groups.values()].filter(({ steps }) => steps.length >= 2)
      if (told.length === 0) return { leftOut: 'too few requests were served in one window' }
      const wrong = told.find(({ steps }) => Math.min(...steps) > 1)
      if (!wrong) return 'passed'
      return fault(wrong.last, 'one less each time', `${Math.min(...wrong.steps)} less at least`)
    },
  }
}
