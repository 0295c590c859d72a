import type { Operation, RequestBody } from '../../contract/contract.ts'
import type { Resource } from '../../resources/bind.ts'
import { answersWith, ifCreated } from '../facts/created.ts'
import { factOf } from '../facts/fact.ts'
import { fault, isSuccess, last, succeeds } from '../facts/judge.ts'
import { refuses } from '../facts/refusals.ts'
import { isRow, type Row } from '../row.ts'
import type { Question } from '../service/answer.ts'
import type { Session } from '../service/session.ts'
import { type Subject, targetOf } from '../subject.ts'
import {
  type Edge,
  edgesOf,
  exactBodies,
  invalidBodies,
  type Variant,
} from '../values/body-values.ts'
import { sampleBody } from '../values/sample.ts'
import type { Probe } from './probe.ts'

const NAME = 'pet-sandbox verify'
/** Ranks: what is missing is refused first, edges are for those who have requests to spare. */
const MISSING = 21
const WRONG = 32
const VALID = 34
const EDGE = 45

/** Bodies that are refused, and bodies that are just about taken. */
export function bodyProbes(subject: Subject, create: Operation, body: RequestBody): Probe[] {
  const model = sampleRow(body, undefined)
  if (!model) return []

  return [
    ...invalidBodies(body, model).map((variant, at) => refusedBody(create, body, variant, at)),
    ...edgesOf(body, model).map((edge) => takenBody(subject, create, body, edge)),
    ...exactBodies(body, model).map((variant) => exactBody(create, variant)),
    chosenId(subject, create, body),
  ]
}

function sampleRow(
  body: RequestBody,
  session: Session | undefined,
  resource?: Resource,
): Row | undefined {
  const model = resource && session?.known.list(resource).rows[0]
  const value = sampleBody(body, { model, text: NAME, isFull: false })

  return isRow(value) ? value : undefined
}

export function bodyQuestion(operation: Operation, id: unknown, body: string): Question {
  const { method } = operation
  const [type = 'application/json'] = operation.body?.mediaTypes ?? []
  return { operation, method, target: targetOf(operation, id), credentials: 'key', body, type }
}

/** A body that the document says is refused. */
export function refusedBody(
  operation: Operation,
  body: RequestBody,
  { what, text }: Variant,
  at: number,
  idOf: (session: Session) => unknown = () => '',
): Probe {
  const facts =
    text === '' && !body.required ? [] : refuses(operation, 'body', what, what.replaceAll(' ', '-'))
  return {
    rank: what.startsWith('a missing') ? MISSING : WRONG + at / 100,
    cost: 1,
    needs: 'writes',
    facts,
    ask: async (session) => [await session.send(bodyQuestion(operation, idOf(session), text))],
  }
}

/** A body with one value at an end of what is allowed. The rest is of a record that is there. */
function takenBody(
  { resource }: Subject,
  create: Operation,
  body: RequestBody,
  { what, name, value }: Edge,
): Probe {
  return {
    rank: VALID,
    cost: 1,
    needs: 'writes',
    facts: [
      factOf(create, what, `takes ${what}`, succeeds(create)),
      ...(resource.hidden.has(name)
        ? []
        : [factOf(create, `${what}/values`, `answers with ${what}`, answersWith(resource))]),
    ],
    ask: async (session) => {
      const sent = { ...sampleRow(body, session, resource), [name]: value }
      const answer = await session.send(bodyQuestion(create, '', JSON.stringify(sent)))
      if (isSuccess(answer) && isRow(answer.value)) session.known.create(resource, answer.value)
      return [answer]
    },
  }
}

/** A number that many a program rounds: it comes back digit by digit, or is refused. */
function exactBody(create: Operation, variant: Variant & { readonly digits: string }): Probe {
  const { what, text, digits } = variant
  return {
    rank: EDGE,
    cost: 1,
    needs: 'writes',
    facts: [
      factOf(
        create,
        what,
        `keeps ${what} exactly, or refuses it`,
        last((answer) => {
          if (answer.status === 400 || answer.status === 422) return 'passed'
          const isKept = isSuccess(answer) && new RegExp(`\\b${digits}\\b`).test(answer.text)
          return isKept ? 'passed' : fault(answer, `${digits} in the answer, or a 400`)
        }),
      ),
    ],
    ask: async (session) => [await session.send(bodyQuestion(create, '', text))],
  }
}

/** The service assigns ids: one that the client sends must not make a record twice. */
function chosenId({ resource }: Subject, create: Operation, body: RequestBody): Probe {
  return {
    rank: EDGE,
    cost: 1,
    needs: 'writes',
    facts: [
      factOf(create, 'chosen-id', 'lets no client choose an id that is taken', ([answer]) => {
        if (!answer) return { leftOut: 'no record is listed' }
        if (!isSuccess(answer))
          return answer.status < 500 ? 'passed' : fault(answer, 'a new id, or a 400')
        return ifCreated(
          answer,
          (row, sent) => isRow(sent) && row[resource.id] !== sent[resource.id],
          () => `another ${resource.id}`,
        )
      }),
    ],
    ask: async (session) => {
      const id = session.known.list(resource).rows[0]?.[resource.id]
      const model = sampleRow(body, session, resource)
      if (id === undefined || !model) return []
      const value = JSON.stringify({ ...model, [resource.id]: id })
      return [await session.send(bodyQuestion(create, '', value))]
    },
  }
}
