import type { Operation } from '../../contract/contract.ts'
import { success } from '../../resources/bind.ts'
import { isRow, type Row } from '../row.ts'
import type { Answer } from '../service/answer.ts'
import { isRemoved } from '../subject.ts'
import type { Fault, Judged, Judgement } from './fact.ts'

/** As much of an answer as a fault shows. */
const SHOWN = 160
/** As much of a body as is looked at for that. */
const MOST_READ = 10 * SHOWN

/** The judgement on the last answer of a probe. */
export function last(judge: (answer: Answer) => Judgement): Judged['judge'] {
  return (answers) => {
    const answer = answers.at(-1)
    return answer ? judge(answer) : { leftOut: 'no answer came to judge by' }
  }
}

/** That the answer has one of these statuses. */
export function hasStatus(...statuses: readonly number[]): Judged['judge'] {
  return last((answer) =>
    statuses.includes(answer.status) ? 'passed' : fault(answer, statuses.join(' or ')),
  )
}

/** A judgement on the last answer that holds until the operation is removed. */
export function unlessRemoved(operation: Operation, judge: Judged['judge']): Judged['judge'] {
  return (answers, known) => {
    const answer = answers.at(-1)
    const isGone = answer !== undefined && isRemoved(operation, answer.time)
    return isGone ? { leftOut: 'the operation is removed' } : judge(answers, known)
  }
}

/** That an operation serves a request: its success, as the document gives it. */
export function succeeds(operation: Operation): Judged['judge'] {
  return last((answer) => served(operation, answer))
}

export function served(operation: Operation, answer: Answer): Judgement {
  const status = success(operation.responses)?.status
  const isServed = status === undefined ? isSuccess(answer) : answer.status === status

  return isServed ? 'passed' : fault(answer, String(status ?? 'a success'))
}

export function isSuccess({ status }: Answer): boolean {
  return status >= 200 && status < 300
}

/** A fault whose answer is told by its status and the start of its body, unless other words are given. */
export function fault(answer: Answer, expected: string, received: string = brief(answer)): Fault {
  return { answer, expected, received }
}

export function brief({ status, text }: Answer): string {
  const body = shorten(text.trim(), MOST_READ).replaceAll(/\s+/g, ' ')
  return `${status} ${body === '' ? 'without a body' : shorten(body, SHOWN)}`
}

export function shorten(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length)}…` : text
}

/** The records in the body of a list; none where the body is no list. */
export function rowsOf({ value }: Answer): readonly Row[] {
  return Array.isArray(value) ? value.filter(isRow) : []
}

/** How many items a list answers with. */
export function sizeOf({ value }: Answer): number {
  return Array.isArray(value) ? value.length : 0
}

/** That a list is not longer than this; what is refused is none. */
export function holdsAtMost(most: number): Judged['judge'] {
  return last((answer) => {
    if (!Array.isArray(answer.value)) return isSuccess(answer) ? NO_LIST : 'passed'
    const size = sizeOf(answer)
    return size <= most ? 'passed' : fault(answer, `at most ${most}`, `${size}`)
  })
}

/** That the records of a list are right; nothing can be told by a list without any. */
export function recordsOf(
  judge: (rows: readonly Row[], answer: Answer) => Judgement,
): Judged['judge'] {
  return last((answer) => {
    const rows = rowsOf(answer)
    return rows.length === 0 ? { leftOut: 'no record is listed' } : judge(rows, answer)
  })
}

const NO_LIST = { leftOut: 'the answer is no list' }

/** That all answers of a kind are right; the first that is not is shown. */
export function eachOf(
  isMeant: (answer: Answer) => boolean,
  judge: (answer: Answer) => Judgement,
): Judged['judge'] {
  return (answers) => {
    const meant = answers.filter(isMeant)
    if (meant.length === 0) return { leftOut: 'no answer came to judge by' }
    const wrong = meant.map(judge).find((one) => one !== 'passed')

    return wrong ?? 'passed'
  }
}

/** Whether an answer is to a request of the operation; HEAD, which has no body to look at, is not. */
export function isOf(operation: Operation, { question }: Answer): boolean {
  return question.operation === operation && question.method === operation.method
}
