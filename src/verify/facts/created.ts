import type { Operation, RequestBody } from '../../contract/contract.ts'
import { propertiesOf } from '../../contract/schema-properties.ts'
import type { Resource } from '../../resources/bind.ts'
import { isRow, type Row } from '../row.ts'
import type { Answer } from '../service/answer.ts'
import { isRemoved, longestPage } from '../subject.ts'
import { holds } from '../values/body-values.ts'
import { factOf, type Judged, type Judgement } from './fact.ts'
import { fault, isSuccess, rowsOf } from './judge.ts'

/** A judgement on what a creation answered; left out where there was none. */
export function ifCreated(
  answer: Answer | undefined,
  isRight: (row: Row, sent: unknown) => boolean,
  expected: (sent: unknown) => string,
): Judgement {
  if (!answer || !isSuccess(answer)) return { leftOut: 'nothing was created' }
  const sent: unknown = JSON.parse(answer.question.body ?? 'null')
  const row = isRow(answer.value) ? answer.value : {}

  return isRight(row, sent) ? 'passed' : fault(answer, expected(sent))
}

/** A creation answers with the values that were sent. */
export function answersWith(resource: Resource): Judged['judge'] {
  return ([answer]) => {
    const wanted = shown(resource, JSON.parse(answer?.question.body ?? 'null'))
    if (isEmpty(wanted)) return NOTHING_SHOWN
    return ifCreated(
      answer,
      (row) => holds(row, wanted),
      () => JSON.stringify(wanted),
    )
  }
}

export const NOTHING_SHOWN: Judgement = { leftOut: 'nothing that was sent is shown' }

export function isEmpty(wanted: unknown): boolean {
  return isRow(wanted) && Object.keys(wanted).length === 0
}

/** What of a body its record shows: all but what a service takes and never gives away (`writeOnly`), as a password. */
export function shown({ hidden }: Resource, sent: unknown): unknown {
  if (!isRow(sent)) return sent
  return Object.fromEntries(Object.entries(sent).filter(([name]) => !hidden.has(name)))
}

/** An id is assigned on creation, and no record has it yet. */
export function newId(create: Operation, resource: Resource, prefix: string, what: string): Judged {
  const name = `gives an id that no record had: ${what}`
  return factOf(create, `${prefix}/id`, name, ([answer], known) =>
    ifCreated(
      answer,
      (row) => known.isNew(row),
      () => `a new ${resource.id}`,
    ),
  )
}

/** A property that is left out has its default. Whether a service fills it in is left open. */
export function presets(create: Operation, body: RequestBody): Judged[] {
  return [...propertiesOf(body.schema)].flatMap(([name, { default: preset, writeOnly }]) =>
    preset === undefined || writeOnly
      ? []
      : [
          factOf(
            create,
            `default/${name}`,
            `fills in ${name}=${JSON.stringify(preset)} when it is left out`,
            ([answer]) =>
              ifCreated(
                answer,
                (row, sent) =>
                  (isRow(sent) && Object.hasOwn(sent, name)) || holds(row[name], preset),
                () => `${name}: ${JSON.stringify(preset)}`,
              ),
            { decision: true },
          ),
        ],
  )
}

export function readBack(read: Operation, { id }: Resource, prefix: string, what: string): Judged {
  return factOf(
    read,
    `created/${prefix}`,
    `reads back what was created: ${what}`,
    ([created, ...rest]) => {
      const answer = rest.find(({ question }) => question.operation === read)
      if (!answer || !created || !isRow(created.value)) return { leftOut: 'nothing was created' }
      if (isRemoved(read, answer.time)) return { leftOut: 'the operation is removed' }
      const isSame = isSuccess(answer) && holds(answer.value, created.value)
      return isSame ? 'passed' : fault(answer, `200 ${JSON.stringify(created.value)} by its ${id}`)
    },
  )
}

export function listedAfter(list: Operation, { id }: Resource): Judged {
  return factOf(list, 'created', 'lists what was created', ([created, ...rest]) => {
    const answer = rest.find(({ question }) => question.operation === list)
    if (!answer || !created || !isRow(created.value)) return { leftOut: 'nothing was created' }
    const wanted = created.value[id]
    const row = rowsOf(answer).find((one) => one[id] === wanted)
    const [[, most] = []] = longestPage(list)
    if (!row && rowsOf(answer).length >= Number(most)) {
      return { leftOut: 'there are more records than one page shows' }
    }
    return row && holds(row, created.value)
      ? 'passed'
      : fault(answer, JSON.stringify(created.value))
  })
}
