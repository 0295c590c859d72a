import type { Contract } from '../../contract/contract.ts'
import { parseJsonText } from '../../contract/json.ts'
import { parsePointer } from '../../contract/schema.ts'
import type { ResourceBinding } from '../../resources/bind.ts'
import { withValueAt } from '../../resources/views/record-body.ts'
import { hasSuccessStatus, operationCheck, passIf } from '../checks/check.ts'
import { isSuccess, type ProbeRequest, type ProbeResponse } from '../messages.ts'
import {
  idIn,
  isOnCollection,
  isParameter,
  isSameTemplate,
  pathOf,
  recordsAt,
  segmentsOf,
  valueAt,
  withPath,
} from '../record-address.ts'
import type { BoundResource } from '../resource-operations.ts'
import type { Session } from '../session/session.ts'
import { validRequest } from '../session/valid-request.ts'
import { unguessableWord, wordsOf } from '../test-data/unguessable.ts'
import { childStep, parentCreation } from './parents.ts'
import { ORDER, type Probe } from './probe.ts'
import { creation, idOfCreated, listBeside, NOT_REACHED } from './steps.ts'

/** So many records are created at once. */
const COUNT = 3

/** More records than programs often show at most where nobody asks for a number. */
const MANY = 11

/** Creations of several records at once: each record that the response shows can be read. And a list without pages has many records. */
export function severalProbes(
  { several, bindings: { create, list, read } }: BoundResource,
  contract: Contract,
): Probe[] {
  const parent = create?.operation.method === 'POST' && parentCreation(create, contract)
  const isWhole = create && list && isOnCollection(list.operation, create.operation)
  return [
    ...several.flatMap((one) => (read && isNextTo(one, read) ? severalProbe(one, read) : [])),
    ...(parent && isWhole && list.hints.paging === undefined
      ? [manyProbe(create, parent, list)]
      : []),
  ]
}

/** All of many records below a new one are in its list. */
function manyProbe(create: ResourceBinding, parent: ResourceBinding, list: ResourceBinding): Probe {
  const name = `lists each of ${MANY} records below another one`
  const check = operationCheck(list.operation, 'many', name, (all) => {
    const listed = all.at(-1)
    const ids = all.slice(1, -1).flatMap((one) => idOfCreated(one, create) ?? [])
    if (!listed || !isSuccess(listed) || ids.length < MANY / 2) return NOT_REACHED
    const shown = (recordsAt(listed, list) ?? []).flatMap((one) => idIn(one, list) ?? [])
    // What shows no ids is counted.
    const isShown = shown.length > 0 ? ids.every((id) => shown.includes(id)) : true
    const count = recordsAt(listed, list)?.length ?? 0
    const isEach = isShown && count >= ids.length
    return passIf(isEach, listed, `${ids.length} records`, `${count} records`)
  })
  return {
    // Other checks of lists are about the records that they find below the one that has the most.
    order: ORDER.pages + 5,
    maxRequests: MANY + 3,
    creations: MANY,
    requires: 'writes',
    checks: [check],
    send: (session) => sendMany(session, create, parent, list),
  }
}

/** A new record, many below it, and their list at the end. */
async function sendMany(
  session: Session,
  create: ResourceBinding,
  parent: ResourceBinding,
  list: ResourceBinding,
): Promise<readonly ProbeResponse[]> {
  const above = await creation(parent)(session, [])
  if (!above) return []
  const responses = [await session.send(above)]
  while (responses.length <= MANY) {
    const request = await childStep(create, parent)(session, responses)
    const made = request && (await session.send({ ...request, keepsParent: true }))
    if (!made || !isSuccess(made)) break
    responses.push(made)
    // A service may list only records in some state.
    if (responses.length === 3 && !(await listsBoth(session, responses, list))) return responses
  }
  if (responses.length < MANY / 2) return responses
  const request = await listBeside(list, 1)(session, responses)
  return request ? [...responses, await session.send(request)] : responses
}

async function listsBoth(
  session: Session,
  responses: readonly ProbeResponse[],
  list: ResourceBinding,
): Promise<boolean> {
  const request = await listBeside(list, 1)(session, responses)
  const listed = request ? await session.send(request) : undefined
  return Boolean(listed && (recordsAt(listed, list)?.length ?? 0) >= 2)
}

/** Whether an operation such as `POST /rooms/bulk` is next to the records, such as `/rooms/{id}`. */
function isNextTo(create: ResourceBinding, read: ResourceBinding): boolean {
  const [one, other] = [segmentsOf(create.operation.path), segmentsOf(read.operation.path)]
  const collection = other.slice(0, -1)
  return (
    isParameter(other.at(-1) ?? '') &&
    isSameTemplate(one.slice(0, collection.length), collection) &&
    one.length <= collection.length + 1 &&
    !isParameter(one.at(-1) ?? '')
  )
}

function severalProbe(create: ResourceBinding, read: ResourceBinding): Probe {
  const name = `returns the records that ${create.operation.id} created`
  return {
    order: ORDER.create + 0.7,
    maxRequests: 1 + COUNT,
    requires: 'writes',
    checks: [
      operationCheck(read.operation, `each/${create.operation.id}`, name, ([created, ...found]) => {
        if (!created || !isSuccess(created) || found.length === 0) return NOT_REACHED
        const wrong = found.find((one) => hasSuccessStatus(read.operation, one) !== 'passed')
        return passIf(!wrong, wrong ?? created, 'the created record')
      }),
    ],
    send: async (session) => {
      const request = await validRequest(create.operation, session)
      const created = await session.send({ ...withSeveral(request, create), isValid: true })
      const records = isSuccess(created) ? (recordsAt(created, create) ?? []) : []
      const ids = records.flatMap((record) => idIn(record, read) ?? [])
      const responses = [created]
      for (const id of ids.slice(0, COUNT))
        responses.push(await session.send(await readingOf(id, created, read, session)))
      return responses
    },
  }
}

/** The request with several records like its first one, as far as the document allows them. */
function withSeveral(request: ProbeRequest, { operation, hints }: ResourceBinding): ProbeRequest {
  const body = parseJsonText(request.body ?? '')
  const place = hints.body ?? ''
  const [first] = [valueAt(body, place)].flat()
  const records = Array.from({ length: COUNT }, () => withOtherWords(first))
  const several = withValueAt(body, parsePointer(place), records)
  return operation.body?.validate(several) ? { ...request, body: JSON.stringify(several) } : request
}

/** A record with other words than those by which the run knows its own. */
function withOtherWords(record: unknown): unknown {
  const text = JSON.stringify(record) ?? 'null'
  const words = new Set(wordsOf(text))
  return parseJsonText(
    [...words].reduce((changed, word) => changed.replaceAll(word, unguessableWord()), text),
  )
}

/** A request for a record, below the same records as those by which it was created. */
async function readingOf(
  id: string,
  created: ProbeResponse,
  { operation }: ResourceBinding,
  session: Session,
): Promise<ProbeRequest> {
  const request = await validRequest(operation, session)
  const collection = segmentsOf(operation.path).length - 1
  const path = segmentsOf(pathOf(created.request.target)).slice(0, collection)
  return {
    ...request,
    target: withPath(request.target, `/${[...path, encodeURIComponent(id)].join('/')}`),
    isValid: true,
  }
}
