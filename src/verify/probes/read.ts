import type { Operation } from '../../contract/contract.ts'
import type { Resource } from '../../resources/bind.ts'
import { httpDate } from '../../time/clock.ts'
import { factOf, type Judged } from '../facts/fact.ts'
import { fault, last, rowsOf, served, succeeds, unlessRemoved } from '../facts/judge.ts'
import { refuses } from '../facts/refusals.ts'
import type { Question } from '../service/answer.ts'
import type { Session } from '../service/session.ts'
import { isRemoved, type Subject, targetOf } from '../subject.ts'
import { holds } from '../values/body-values.ts'
import { idsOf } from '../values/parameter-values.ts'
import { type Probe, single } from './probe.ts'

const LISTED = 17
const ABSENT = 18
const STRANGE = 44

/** Reading one record: one that is there, and ids that are not. */
export function readProbes({ resource, operations: { read } }: Subject): Probe[] {
  const parameter = read?.parameters.find((one) => one.in === 'path')
  if (!read || !parameter) return []
  const { absent, impossible } = idsOf(parameter)

  return [
    readListed(read, resource),
    ...absent.map((id, at) =>
      single(at === 0 ? ABSENT : STRANGE, readQuestion(read, id), [absentFact(read, resource, id)]),
    ),
    ...impossible.map((id) =>
      single(
        STRANGE,
        readQuestion(read, id),
        refuses(read, 'path', `the ${parameter.name} ${id}`, `id=${id}`),
      ),
    ),
  ]
}

export function readQuestion(read: Operation, id: unknown): Question {
  return { operation: read, method: read.method, target: targetOf(read, id), credentials: 'key' }
}

/** The read operation's answer after that of what named the record; nothing when there is no record. */
function readListed(read: Operation, resource: Resource): Probe {
  const { deprecation } = read
  const removal =
    deprecation?.sunset === undefined
      ? []
      : [
          factOf(
            read,
            'removal',
            `is there until ${httpDate(deprecation.sunset)}, and gone then`,
            last((answer) => {
              if (!isRemoved(read, answer.time)) return served(read, answer)
              const isGone = answer.status === 404 || answer.status === 410
              return isGone ? 'passed' : fault(answer, '404')
            }),
            { clause: 'Versioning, 3' },
          ),
        ]

  return {
    rank: LISTED,
    cost: 1,
    facts: [
      factOf(read, 'listed', 'finds a record that is listed', unlessRemoved(read, succeeds(read))),
      factOf(
        read,
        'listed/same',
        'gives a record with the values that the list gives',
        (answers, known) => {
          const [answer] = answers
          const row = known.list(resource).rows[0]
          if (!answer || !row) return { leftOut: 'no record is listed' }
          if (served(read, answer) !== 'passed') return { leftOut: 'the record is not found' }
          return holds(answer.value, row) ? 'passed' : fault(answer, JSON.stringify(row))
        },
      ),
      ...removal,
    ],
    ask: async (session: Session) => {
      const id = session.known.list(resource).rows[0]?.[resource.id]
      return id === undefined ? [] : [await session.send(readQuestion(read, id))]
    },
  }
}

/** An id that could be, and is not: 404, unless the record happens to be there. */
function absentFact(read: Operation, { id: property }: Resource, id: string): Judged {
  const given = read.responses.find(({ status }) => status === 404 || status === 410)
  return factOf(
    read,
    `absent=${id}`,
    `answers ${given?.status ?? 404} for the ${property} ${id}, which there is not`,
    last((answer) => {
      const isThere = rowsOf({ ...answer, value: [answer.value] }).some(
        (row) => String(row[property]) === id,
      )
      return isThere || answer.status === (given?.status ?? 404)
        ? 'passed'
        : fault(answer, String(given?.status ?? 404))
    }),
  )
}
