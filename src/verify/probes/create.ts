import type { Operation, RequestBody } from '../../contract/contract.ts'
import { answersWith, listedAfter, newId, presets, readBack } from '../facts/created.ts'
import { factOf } from '../facts/fact.ts'
import { isSuccess, served } from '../facts/judge.ts'
import { isRow } from '../row.ts'
import { NotSent } from '../service/answer.ts'
import { longestPage, type Subject } from '../subject.ts'
import { sampleBody } from '../values/sample.ts'
import { bodyProbes, bodyQuestion } from './body.ts'
import { envelopeProbes } from './envelope.ts'
import { listQuestion } from './list.ts'
import type { Probe } from './probe.ts'
import { readQuestion } from './read.ts'

const CREATED = 20
const FULL = 24

/** What is free in a body, so that whoever meets such a record knows where it came from. */
const NAME = 'pet-sandbox verify'
const UNICODE = 'Zoë 测试 ✓'

/** Creating records: what is taken, what is refused, and that it is found again. */
export function createProbes(subject: Subject): Probe[] {
  const { create } = subject.operations
  if (!create?.body) return []

  return [
    creation(subject, create, create.body, false),
    creation(subject, create, create.body, true),
    ...bodyProbes(subject, create, create.body),
    ...envelopeProbes(create),
  ]
}

/** A record is created, read back and looked for in the list. */
function creation(subject: Subject, create: Operation, body: RequestBody, isFull: boolean): Probe {
  const { resource, operations } = subject
  const { read, list } = operations
  const prefix = isFull ? 'full' : 'required'
  const what = isFull ? 'every field, in any script' : 'the required fields alone'

  return {
    rank: isFull ? FULL : CREATED,
    cost: 1 + (read ? 1 : 0) + (list && !isFull ? 1 : 0),
    needs: 'writes',
    facts: [
      factOf(create, `${prefix}`, `takes ${what}`, ([answer]) =>
        answer ? served(create, answer) : { leftOut: 'no answer came to judge by' },
      ),
      factOf(
        create,
        `${prefix}/values`,
        `answers with the values that were sent: ${what}`,
        answersWith(resource),
      ),
      newId(create, resource, prefix, what),
      ...(isFull ? [] : presets(create, body)),
      ...(read ? [readBack(read, resource, prefix, what)] : []),
      ...(list && !isFull ? [listedAfter(list, resource)] : []),
    ],
    ask: async (session) => {
      const model = session.known.list(resource).rows[0]
      const text = isFull ? UNICODE : NAME
      const value = sampleBody(body, { model, text, isFull })
      if (value === undefined) throw new NotSent('no body could be made for the schema')
      const first = await session.send(bodyQuestion(create, '', JSON.stringify(value)))
      if (!isSuccess(first) || !isRow(first.value)) return [first]
      session.known.create(resource, first.value)
      const id = first.value[resource.id]
      const answers = [first]
      if (read && id !== undefined) answers.push(await session.send(readQuestion(read, id)))
      if (list && !isFull) answers.push(await session.send(listQuestion(list, longestPage(list))))

      return answers
    },
  }
}
