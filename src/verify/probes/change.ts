import type { Operation } from '../../contract/contract.ts'
import type { Resource } from '../../resources/bind.ts'
import { isEmpty, NOTHING_SHOWN, shown } from '../facts/created.ts'
import { factOf, type Judged, type Judgement } from '../facts/fact.ts'
import { fault, hasStatus, isSuccess, served, succeeds } from '../facts/judge.ts'
import { isRow } from '../row.ts'
import type { Answer, Question } from '../service/answer.ts'
import type { Session } from '../service/session.ts'
import { type Subject, targetOf } from '../subject.ts'
import { holds, invalidBodies } from '../values/body-values.ts'
import { idsOf } from '../values/parameter-values.ts'
import { sampleBody } from '../values/sample.ts'
import { bodyQuestion, refusedBody } from './body.ts'
import type { Probe } from './probe.ts'
import { readQuestion } from './read.ts'

const CHANGED = 36
const REFUSED = 47
const REMOVED = 70

/** What is changed, or asked to be, once it is known that a change works. */
const REFUSALS = 6

/** Replacing, updating and removing: only records that were created here. */
export function changeProbes({ resource, operations }: Subject): Probe[] {
  const { read, replace, update, remove } = operations
  const changes = [replace, update].filter((one) => one !== undefined)

  return [
    ...changes.flatMap((operation) => changeOf(operation, resource, read)),
    ...(remove ? [removal(remove, resource, read)] : []),
  ]
}

function changeOf(operation: Operation, resource: Resource, read: Operation | undefined): Probe[] {
  const { body } = operation
  if (!body) return []
  const sent = sampleBody(body, { model: undefined, text: 'changed by verify', isFull: true })
  if (!isRow(sent)) return []
  const wanted = shown(resource, sent)
  const idIn = ({ known }: Session): unknown => known.created(resource)?.[resource.id]
  const refused = invalidBodies(body, sent).slice(0, REFUSALS)

  return [
    {
      rank: CHANGED,
      cost: read ? 2 : 1,
      needs: 'writes',
      facts: [
        factOf(operation, 'served', 'takes a change', succeedsFirst(operation)),
        factOf(operation, 'values', 'answers with the values that were sent', ([answer]) =>
          answer && served(operation, answer) === 'passed' && isRow(answer.value)
            ? sameAs(answer, wanted)
            : { leftOut: 'nothing was changed' },
        ),
        ...(read ? [readAfter(operation, read, wanted)] : []),
      ],
      ask: async (session) => {
        const id = idIn(session)
        if (id === undefined) return []
        const answers = [await session.send(bodyQuestion(operation, id, JSON.stringify(sent)))]
        if (read) answers.push(await session.send(readQuestion(read, id)))
        return answers
      },
    },
    ...refused.map((variant, at) => {
      const probe = refusedBody(operation, body, variant, at, idIn)
      return { ...probe, rank: REFUSED, ask: ifThere(idIn, probe.ask) }
    }),
    absentChange(operation, resource, JSON.stringify(sent)),
  ]
}

function ifThere(idIn: (session: Session) => unknown, ask: Probe['ask']): Probe['ask'] {
  return async (session) => (idIn(session) === undefined ? [] : ask(session))
}

function succeedsFirst(operation: Operation): Judged['judge'] {
  return ([answer], known) =>
    answer ? succeeds(operation)([answer], known) : { leftOut: 'nothing was created' }
}

function sameAs(answer: Answer, wanted: unknown): Judgement {
  if (isEmpty(wanted)) return NOTHING_SHOWN
  return holds(answer.value, wanted) ? 'passed' : fault(answer, JSON.stringify(wanted))
}

function readAfter(operation: Operation, read: Operation, wanted: unknown): Judged {
  return factOf(
    read,
    `after/${operation.id}`,
    `reads what ${operation.id} made of it`,
    (answers) => {
      const [changed, answer] = answers
      if (!changed || !answer || !isSuccess(changed)) return { leftOut: 'nothing was changed' }
      return sameAs(answer, wanted)
    },
  )
}

/** A change to, or the removal of, what is not there. */
function absentChange(operation: Operation, resource: Resource, body?: string): Probe {
  const parameter = operation.parameters.find((one) => one.in === 'path')
  const [id = ''] = parameter ? idsOf(parameter).absent : []
  const statuses = operation.responses
    .map(({ status }) => status)
    .filter((status) => status === 404)
  const facts =
    id === '' || statuses.length === 0
      ? []
      : [
          factOf(
            operation,
            `absent=${id}`,
            `answers 404 for the ${resource.id} ${id}, which there is not`,
            hasStatus(404),
          ),
        ]
  const question: Question =
    body === undefined
      ? { ...readQuestion(operation, id), method: operation.method }
      : bodyQuestion(operation, id, body)

  return {
    rank: REFUSED,
    cost: 1,
    needs: 'writes',
    facts,
    ask: async (session) => (facts.length === 0 ? [] : [await session.send(question)]),
  }
}

/** The record that was created last is removed, and then it is gone. */
function removal(remove: Operation, resource: Resource, read: Operation | undefined): Probe {
  return {
    rank: REMOVED,
    cost: read ? 2 : 1,
    needs: 'writes',
    facts: [
      factOf(remove, 'served', 'removes a record', succeedsFirst(remove)),
      ...(read
        ? [
            factOf(
              read,
              `after/${remove.id}`,
              `does not find what ${remove.id} removed`,
              (answers) => {
                const [removed, answer] = answers
                if (!removed || !answer || !isSuccess(removed)) {
                  return { leftOut: 'nothing was removed' }
                }
                return answer.status === 404 || answer.status === 410
                  ? 'passed'
                  : fault(answer, '404')
              },
            ),
          ]
        : []),
    ],
    ask: async (session) => {
      const id = session.known.created(resource)?.[resource.id]
      if (id === undefined) return []
      const { method } = remove
      const target = targetOf(remove, id)
      const answers = [
        await session.send({ operation: remove, method, target, credentials: 'key' }),
      ]
      session.known.forget(resource)
      if (read) answers.push(await session.send(readQuestion(read, id)))
      return answers
    },
  }
}
