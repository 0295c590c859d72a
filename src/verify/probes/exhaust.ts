import type { Operation } from '../../contract/contract.ts'
import type { Fact, Judged, Judgement } from '../facts/fact.ts'
import { fault, succeeds } from '../facts/judge.ts'
import { type Answer, NotSent } from '../service/answer.ts'
import { LONGEST_WAIT, numberIn, type Session, waitOf } from '../service/session.ts'
import { listQuestion } from './list.ts'
import type { Probe } from './probe.ts'

const RANK = 90

/** A service's clock and its whole seconds, in milliseconds. */
const TOLERANCE = 2000

/** How much longer than its own reset a service may ask to wait, in milliseconds. */
const PATIENCE = 60_000

/** So many requests more than were left are sent, to see by how much a service is late. */
const SPARE = 5

const ON_EXCEEDING = 'Limits, Behaviour on exceeding'

/** Spends the quota: what comes then, and that it is over when it is said to be. */
export function exhaustProbe(operation: Operation): Probe {
  return {
    rank: RANK,
    cost: 3,
    needs: 'exhaust',
    facts: [
      limitFact('refused', 'A request over the limit is refused with a 429', '1', (refusal) =>
        refusal.status === 429 ? 'passed' : fault(refusal, '429'),
      ),
      exact(),
      limitFact('retry-after', 'A 429 tells in Retry-After when to retry', '2', (refusal) => {
        const text = refusal.headers.get('Retry-After')
        const isTold = text !== null && (/^\d+$/.test(text) || !Number.isNaN(Date.parse(text)))
        const isWhole = isTold && !/^\d+\.\d+$/.test(text)
        return isWhole
          ? 'passed'
          : fault(refusal, 'Retry-After: whole seconds, or a date', text ?? 'no Retry-After')
      }),
      limitFact('agrees', 'Retry-After agrees with X-RateLimit-Reset', '2', agreement),
      over(operation),
    ],
    ask: (session) => exhaust(session, operation),
  }
}

async function exhaust(session: Session, operation: Operation): Promise<Answer[]> {
  const question = listQuestion(operation, [])
  const first = await session.send(question)
  const most = session.remaining
  if (most === undefined) throw new NotSent('the target does not tell how large its quota is')
  // One is refused, one comes after the wait; the window may end meanwhile.
  if (most + 2 > session.affordable) {
    throw new NotSent(
      `${most} requests of the quota are left, and ${session.affordable} of the budget`,
    )
  }
  const answers = [first]
  while (answers.at(-1)?.status !== 429 && session.affordable > 1 && isCredible(answers, most)) {
    answers.push(await session.ask(question))
    if (isNewWindow(answers) && (session.remaining ?? 0) + 2 > session.affordable) {
      throw new NotSent('a new window began, and the budget does not reach for it')
    }
  }
  const refusal = answers.at(-1)
  const wait = refusal?.status === 429 ? waitOf(refusal) : undefined
  if (wait !== undefined && wait <= LONGEST_WAIT) {
    await session.waitFor(wait, 'the quota is spent on purpose')
    answers.push(await session.ask(question))
  }
  return answers
}

/** More than was left within one window is wrong, which is told, and not at the cost of the whole budget. */
function isCredible(answers: readonly Answer[], most: number): boolean {
  if (answers.length <= most + SPARE) return true
  const windows = new Set(answers.map(({ headers }) => headers.get('X-RateLimit-Reset')))
  return windows.size > 1
}

function isNewWindow(answers: readonly Answer[]): boolean {
  const [before, after] = answers.slice(-2).map(({ headers }) => headers.get('X-RateLimit-Reset'))
  return before !== undefined && after !== undefined && before !== after
}

/** A fact about the first refusal, else about the last answer. */
function limitFact(
  id: string,
  name: string,
  item: string,
  judge: (refusal: Answer) => Judgement,
): Judged {
  return {
    id: `limits/${id}`,
    name,
    clause: `${ON_EXCEEDING}, ${item}`,
    judge: (answers) => {
      const refusal = answers.find(({ status }) => status === 429)
      const end = answers.at(-1)
      if (!end) return { leftOut: 'no request was sent' }
      if (!refusal && id !== 'refused') return { leftOut: 'no request was refused' }
      return judge(refusal ?? end)
    },
  }
}

function exact(): Judged {
  const fact: Fact = {
    id: 'limits/exact',
    name: 'Requests are refused when X-RateLimit-Remaining is 0, not sooner, not later',
    clause: 'Limits, Rate limit response headers',
  }
  return {
    ...fact,
    judge: (answers) => {
      const at = answers.findIndex(({ status }) => status === 429)
      const before = answers[at - 1]
      const refusal = answers[at]
      if (at < 1 || !before || !refusal) return { leftOut: 'no request was refused' }
      if (isNewWindow([before, refusal])) return { leftOut: 'a new window began' }
      const left = answers.slice(0, at).map(remainingOf)
      if (left.some((one, index) => index > 0 && one < (left[index - 1] ?? 0) - 1)) {
        return { leftOut: 'others used the key meanwhile' }
      }
      const served = left.filter((one) => one === 0).length
      const expected = 'a refusal after one X-RateLimit-Remaining: 0'
      return served === 1
        ? 'passed'
        : fault(refusal, expected, served > 1 ? `${served} of them` : `it was ${left.at(-1)}`)
    },
  }
}

function remainingOf({ headers }: Answer): number {
  return numberIn(headers, 'X-RateLimit-Remaining') ?? 0
}

function agreement(refusal: Answer): Judgement {
  const reset = numberIn(refusal.headers, 'X-RateLimit-Reset')
  const wait = waitOf(refusal)
  if (reset === undefined || wait === undefined) return { leftOut: 'one of the two is missing' }
  const left = reset * 1000 - refusal.time
  const isNear = wait >= left - TOLERANCE && wait <= left + PATIENCE

  return isNear
    ? 'passed'
    : fault(refusal, `about ${Math.round(left / 1000)} s`, `Retry-After of ${wait / 1000} s`)
}

function over(operation: Operation): Judged {
  return {
    id: 'limits/over',
    name: 'After the time given in Retry-After, requests are served again',
    clause: 'Errors',
    judge: (answers, known) => {
      const at = answers.findIndex(({ status }) => status === 429)
      const after = answers[at + 1]
      if (at < 0 || !after) return { leftOut: 'no request was refused, or the wait was too long' }
      return succeeds(operation)([after], known)
    },
  }
}
