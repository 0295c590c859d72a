import type { Operation, Parameter } from '../../contract/contract.ts'
import { chooseResponse, documentedResponse } from '../../contract/documented-response.ts'
import { encodeLiteral, parseTemplate } from '../../contract/path-pattern.ts'
import { propertiesOf } from '../../contract/schema.ts'
import type { DocumentTexts } from '../../document/document-texts.ts'
import type { JsonObject } from '../../document/json-value.ts'
import type { ResourceBinding } from '../../resources/bind.ts'
import { singular } from '../../resources/reference-names.ts'
import { isObject } from '../../validation/objects.ts'
import {
  type CheckDefinition,
  type Evaluation,
  failure,
  firstProblem,
  hasStatus,
  hasSuccessStatus,
  isRemoved,
  isResponseTo,
  type LeftOut,
  OPERATION_REMOVED,
  operationCheck,
  passIf,
} from '../checks/check.ts'
import {
  comparable,
  comparableNames,
  sentRecord,
  shownOtherwise,
  shows,
} from '../checks/shown-values.ts'
import { isWhole } from '../checks/whole-list.ts'
import { isSuccess, type ProbeResponse } from '../messages.ts'
import {
  collectionTarget,
  createdId,
  idForParameter,
  idIn,
  isItemOf,
  isOnCollection,
  isOnItem,
  itemTarget,
  lastOf,
  pathOf,
  plainName,
  recordIn,
  recordsAt,
  recordTemplate,
  segmentsOf,
  valuesIn,
  withPath,
} from '../record-address.ts'
import type { BoundResource } from '../resource-operations.ts'
import { isInvalidInput } from '../session/accepted-bodies.ts'
import type { Session } from '../session/session.ts'
import { isInOtherState, sentencesOf } from '../session/stated-rules.ts'
import { creationRequest, validRequest } from '../session/valid-request.ts'
import { withOtherValues } from '../test-data/unguessable.ts'
import { keyword, unknownIds } from '../test-data/values.ts'
import { hasConflict } from './conflicts.ts'
import { MAX_SEARCHED, readUntil } from './next-page.ts'
import { ORDER, type Probe, singleRequestProbe } from './probe.ts'
import { rejectionChecks } from './refusals.ts'
import { expectedGone, isInState, KEPT, keepsRecord, stateAfter } from './removals.ts'
import { inLongestPage } from './steps.ts'
import { isRefusedByState, OTHER_STATE } from './valid-requests.ts'

/**
 * What happens to one record of a resource below a parent, in envelopes, or with ids of its own: it is created, read and listed;
 * created, changed and read; created, removed and not found. Each story creates a record of its own.
 */
export function storyProbes({ bindings }: BoundResource, texts: DocumentTexts): Probe[] {
  const { create } = bindings
  if (!create?.operation.body) return []
  const onItem = (binding: ResourceBinding | undefined): ResourceBinding | undefined =>
    binding && isOnItem(create, binding) ? binding : undefined
  const read = onItem(bindings.read)
  const list =
    bindings.list && isOnCollection(bindings.list.operation, create.operation)
      ? bindings.list
      : undefined
  const changes = [onItem(bindings.update), onItem(bindings.replace)]
  const remove = onItem(bindings.remove)
  const shown = [
    ...(read ? [foundCheck(create, read)] : []),
    ...(list ? [listedCheck(create, list, texts)] : []),
  ]
  return [
    ...(shown.length > 0
      ? [story(ORDER.create, create, shown, list ? hiddenCheck(create, list, texts) : [])]
      : []),
    ...changes.flatMap((change) =>
      change
        ? story(
            ORDER.change,
            create,
            [
              doneCheck(change, 'changes a created record'),
              ...(read ? [changedCheck(change, read)] : []),
            ],
            [shownCheck(change)],
          )
        : [],
    ),
    ...(remove
      ? [
          story(ORDER.remove, create, [
            doneCheck(remove, 'removes a created record'),
            ...(read && hasAbsence(read) ? [goneCheck(remove, read)] : []),
          ]),
        ]
      : []),
  ]
}

/** A request for the created record or its collection, and what it shows. */
interface Step {
  readonly binding: ResourceBinding
  readonly check: CheckDefinition
}

function step(
  binding: ResourceBinding,
  id: string,
  name: string,
  evaluate: (responses: readonly ProbeResponse[]) => Evaluation,
): Step {
  return { binding, check: operationCheck(binding.operation, id, name, evaluate) }
}

function story(
  order: number,
  create: ResourceBinding,
  steps: readonly Step[],
  more: readonly CheckDefinition[] = [],
): Probe {
  return {
    order,
    maxRequests: 1 + steps.length,
    requires: 'writes',
    checks: [...steps.map(({ check }) => check), ...more],
    send: (session) => tell(session, create, steps),
  }
}

async function tell(
  session: Session,
  create: ResourceBinding,
  steps: readonly Step[],
): Promise<ProbeResponse[]> {
  const request = await creationRequest(create.operation, session)
  const created = await session.send({ ...request, isValid: true })
  const id = isSuccess(created) ? createdId(created, create) : undefined
  const responses = [created]
  const onItem = steps.filter(({ binding }) => isOnItem(create, binding))
  if (id === undefined || !onItem.every(({ binding }) => isIdFor(id, binding.operation)))
    return responses
  for (const { binding } of steps) {
    const { operation } = binding
    const plain = await validRequest(operation, session)
    const valid = withOtherValues(plain, binding)
    const path = isOnItem(create, binding)
      ? itemTarget(created, operation, id)
      : collectionTarget(created, operation)
    const isUnkept = (name: string): boolean => session.bodies.isRestricted(create.operation, name)
    const target = withPath(valid.target, path)
    const request = { ...valid, target, isValid: true, isUnkept } as const
    const sent = binding.action === 'list' ? inLongestPage(request, binding) : request
    if (binding.action === 'list') {
      const isFound = (page: ProbeResponse): boolean => listedIds(page, binding).includes(id)
      responses.push(...(await readUntil(session, sent, binding, isFound)))
      continue
    }
    const response = await session.send(sent)
    // The service may have rules for texts, and accept what was made for the operation.
    const isRefused = isInvalidInput(response) && sent.body !== plain.body
    responses.push(isRefused ? await session.send({ ...sent, body: plain.body ?? '' }) : response)
  }
  return responses
}

/** Whether the path of one record may contain an id. A client may have chosen one for which the document has no path. */
function isIdFor(id: string, operation: Operation): boolean {
  const parameter = lastParameterOf(operation)
  return !parameter || parameter.validate(id) || parameter.validate(Number(id))
}

function lastParameterOf({ path, parameters }: Operation): Parameter | undefined {
  const name = parseTemplate(path).names.at(-1)
  return parameters.find((one) => one.in === 'path' && one.name === name)
}

/** Reads a listed record of a resource below a parent, in envelopes, or with ids of its own, and one that does not exist. */
export function readingProbes({ bindings: { list, read } }: BoundResource): Probe[] {
  if (!read) return []
  const isListed = list && isItemOf(list.operation, read.operation)

  // What the list of another path shows is read there.
  if (list && !isListed) return []
  return [
    ...(isListed ? [listedProbe(list, read)] : []),
    ...absentProbe(read),
    ...impossibleProbes(read),
  ]
}

function listedProbe(list: ResourceBinding, read: ResourceBinding): Probe {
  const { operation } = read
  return {
    order: ORDER.readListed,
    maxRequests: 1 + (recordTemplate(list.operation).length > 0 ? MAX_PARENTS : 0) + MAX_READ,
    checks: [
      operationCheck(operation, 'listed', 'finds a listed record', ([, ...all]) => {
        const [found] = all
        if (!found) return { leftOut: 'no record is listed whose id is known' }
        if (isRemoved(operation, found.time)) return OPERATION_REMOVED
        return firstProblem(all.map((one) => hasSuccessStatus(operation, one)))
      }),
      operationCheck(operation, 'listed/same', 'returns the same values as the list', (all) => {
        const [listed, ...found] = all
        const same = found.map((one) => sameAsListed(listed, one, list, read))
        return same.length > 0 ? firstProblem(same) : NOT_READ
      }),
    ],
    send: async (session) => {
      const listed = await listWithRecords(list, session)
      const records = (isSuccess(listed) && recordsAt(listed, list)) || []
      const responses = [listed]
      for (const record of recordsOfEachState(records, read)) {
        const id = idIn(record, list)
        if (id === undefined) continue
        const valid = await validRequest(operation, session)
        const target = withPath(valid.target, itemTarget(listed, operation, id))
        responses.push(await session.send({ ...valid, target, isValid: true }))
      }
      return responses
    },
  }
}

/** The most listed records that are read. */
const MAX_READ = 5

/** The most other records whose lists are read when there is nothing below the first one. */
const MAX_PARENTS = 3

/** A list; below the first record of those above that has something below it, if one of a few has. */
async function listWithRecords(list: ResourceBinding, session: Session): Promise<ProbeResponse> {
  const request = await validRequest(list.operation, session)
  const send = (target: string): Promise<ProbeResponse> =>
    session.send(inLongestPage({ ...request, target }, list))
  let listed = await send(request.target)
  for (const target of besideOf(list, request.target, session)) {
    if (!isSuccess(listed) || recordsAt(listed, list)?.length !== 0) break
    listed = await send(target)
  }
  return listed
}

/** The targets of a list below other records than the one of a target, which were listed before. */
function besideOf(
  { operation }: ResourceBinding,
  target: string,
  session: Session,
): readonly string[] {
  const template = recordTemplate(operation)
  const name = /^\{(.+)\}$/.exec(template.at(-1) ?? '')?.[1]
  if (name === undefined) return []
  const rest = segmentsOf(operation.path).slice(template.length).map(encodeLiteral)
  const above = pathOf(target).split('/').slice(0, -rest.length)
  const collection = above.slice(0, -1).join('/')
  const noun = plainName(singular(lastOf(operation.path)))
  // What counts them says where there are many.
  const countIn = (record: JsonObject): number =>
    Math.max(
      0,
      ...Object.entries(record).flatMap(([own, value]) =>
        plainName(own).includes(noun) && typeof value === 'number' ? [value] : [],
      ),
    )
  const records = session.ids.recordsOf(collection)
  const ids = [...records]
    .sort((one, other) => countIn(other) - countIn(one))
    .flatMap((one) => {
      const id = idForParameter(one, name)
      return id === undefined || String(id) === lastOf(above.join('/')) ? [] : [id]
    })
  return [...new Set(ids)]
    .slice(0, MAX_PARENTS)
    .map((id) => withPath(target, [collection, encodeURIComponent(id), ...rest].join('/')))
}

/** The first record, and for each other value of an enum in records the first one that has it. */
function recordsOfEachState(
  records: readonly unknown[],
  { resource }: ResourceBinding,
): readonly unknown[] {
  const names = [...propertiesOf(resource.schema)].flatMap(([name, property]) =>
    keyword(property, 'enum') ? [name] : [],
  )
  const seen = new Set<string>()
  return records
    .filter((record, at) => {
      const values = valuesIn(record)
      const own = names.map((name) => `${name}=${isObject(values) ? values[name] : ''}`)
      const isNew = at === 0 || own.some((one) => !seen.has(one))
      for (const one of own) seen.add(one)
      return isNew
    })
    .slice(0, MAX_READ)
}

const NOT_READ: LeftOut = { leftOut: 'no record was read' }

/** The values of a listed record that the document has in both responses are the same. */
function sameAsListed(
  listed: ProbeResponse | undefined,
  found: ProbeResponse,
  list: ResourceBinding,
  read: ResourceBinding,
): Evaluation {
  if (!listed) return NOT_READ
  const records = (isSuccess(listed) && recordsAt(listed, list)) || []
  const first = records.find((one) => lastOf(pathOf(found.request.target)) === idIn(one, list))
  if (!isSuccess(found) || !isObject(first)) return NOT_READ
  const [listedValues, shown] = [valuesIn(first), valuesIn(recordIn(found, read))]
  if (!isObject(listedValues)) return NOT_READ
  const names = comparableNames(listed, list, found, read)
  const known = Object.keys(listedValues).filter(
    (name) => isObject(shown) && Object.hasOwn(shown, name) && names.has(name),
  )
  const values = known.map((name) => [name, listedValues[name]] as const)
  const same = shows(found, read, values, 'as the list shows it')
  const other = shownOtherwise(listed, list, listedValues, found, read)
  if (same !== 'passed' || other === undefined) return same
  return failure(found, `"${other}": ${JSON.stringify(listedValues[other])}, as the list shows it`)
}

/** A valid id without a record; only where the document has a 404, and the id is the last segment of the path. */
function absentProbe(read: ResourceBinding): Probe[] {
  const { operation } = read
  const parameter = lastParameterOf(operation)
  const [id] = parameter ? unknownIds(parameter).absent : []
  if (id === undefined || !operation.path.endsWith(`/{${parameter?.name}}`) || !hasAbsence(read))
    return []
  const name = `returns 404 for the unknown id ${id}`
  const check = operationCheck(operation, `absent=${id}`, name, hasStatus(404, 410))
  const probe = singleRequestProbe(ORDER.readAbsent, operation, [check], async (session) => {
    const valid = await validRequest(operation, session)
    const path = pathOf(valid.target).replace(/[^/]*$/, encodeURIComponent(id))
    return { ...valid, target: withPath(valid.target, path), isInvalid: true }
  })

  return [probe]
}

/** Ids that the path parameter does not allow, so that no record has them. */
function impossibleProbes(read: ResourceBinding): Probe[] {
  const { operation } = read
  const parameter = lastParameterOf(operation)
  if (!parameter || !operation.path.endsWith(`/{${parameter.name}}`)) return []
  return unknownIds(parameter).impossible.map((id) => {
    const checks = rejectionChecks(operation, 'path', `the ${parameter.name} ${id}`, `id=${id}`)
    return singleRequestProbe(ORDER.unusualValue, operation, checks, async (session) => {
      const valid = await validRequest(operation, session)
      const path = pathOf(valid.target).replace(/[^/]*$/, encodeURIComponent(id))
      return { ...valid, target: withPath(valid.target, path), isInvalid: true }
    })
  })
}

const NOTHING_CREATED: LeftOut = { leftOut: 'no record was created whose id is known' }

/** A created record can be read, with the values that were sent. */
function foundCheck(create: ResourceBinding, read: ResourceBinding): Step {
  return step(read, 'created', 'returns a created record', (responses) =>
    keepsValues(responses, create, read),
  )
}

/** A changed record is read with the values that were sent. */
function changedCheck(change: ResourceBinding, read: ResourceBinding): Step {
  const { id } = change.operation
  return step(read, `after/${id}`, `returns the values that ${id} changed`, (responses) => {
    const changed = responseTo(change, responses)
    if (!changed || !isSuccess(changed)) return { leftOut: 'no record was changed' }
    return keepsValues(responses, change, read)
  })
}

/** The response to a change shows the values that it changed, and not those before. Other records may have had these values. */
function shownCheck(change: ResourceBinding): CheckDefinition {
  const { operation } = change
  return operationCheck(operation, 'shown', 'returns the values that it changed', (all) => {
    const isTaken = responseTo(change, all)?.status === 409 && hasConflict(change)
    return isTaken ? { leftOut: 'no record was changed' } : keepsValues(all, change, change)
  })
}

function keepsValues(
  responses: readonly ProbeResponse[],
  change: ResourceBinding,
  read: ResourceBinding,
): Evaluation {
  const sent = responseTo(change, responses)
  const found = responseTo(read, responses)
  if (!sent || !found) return NOTHING_CREATED
  if (isRemoved(read.operation, found.time)) return OPERATION_REMOVED
  const status = hasSuccessStatus(read.operation, found)
  if (status !== 'passed') return status
  if (found.text === '') return { leftOut: 'the response has no body' }
  const values = comparable(sentRecord(sent, change), found, read).filter(
    ([name]) => !sent.request.isUnkept?.(name),
  )

  return shows(found, read, values, 'as it was sent')
}

/** A list contains a created record. */
function listedCheck(create: ResourceBinding, list: ResourceBinding, texts: DocumentTexts): Step {
  return step(list, 'created', 'lists a created record', (responses) => {
    const created = responseTo(create, responses)
    const pages = responses.filter(({ request }) => request.operation === list.operation)
    const [first] = pages
    const last = pages.at(-1)
    const id = created && createdId(created, create)
    if (!first || !last || id === undefined) return NOTHING_CREATED
    if (isLeftOut(created, create, onlySentences(list, texts).join(' '))) return LEFT_OUT
    return isListed(id, pages, list)
  })
}

/** Whether pages of a list have a record. */
function isListed(id: string, pages: readonly ProbeResponse[], list: ResourceBinding): Evaluation {
  const [first] = pages
  const last = pages.at(-1)
  if (!first || !last) return NOTHING_CREATED
  const status = firstProblem(pages.map((page) => hasSuccessStatus(list.operation, page)))
  if (status !== 'passed') return status
  const ids = pages.flatMap((page) => listedIds(page, list))
  if (ids.includes(id)) return 'passed'
  if (ids.length === 0 && recordsAt(first, list)?.length !== 0)
    return { leftOut: 'the list shows no ids' }

  return isWhole(first, list) || (pages.length > 1 && pages.length < MAX_SEARCHED)
    ? failure(last, `a record with the id ${id}`)
    : { leftOut: 'the record may be on another page' }
}

const LEFT_OUT: LeftOut = { leftOut: 'the description lists records in another state only' }

/** What a description says that a list shows only: "Only published reviews are listed". */
function onlySentences({ operation }: ResourceBinding, texts: DocumentTexts): readonly string[] {
  return sentencesOf(texts.operation(operation.id)).filter((one) => /\bonly\b/i.test(one))
}

/** Whether a new record is in another state than those of which a text is. */
function isLeftOut(
  created: ProbeResponse | undefined,
  create: ResourceBinding,
  text: string,
): boolean {
  return (
    created !== undefined &&
    isInOtherState(valuesIn(recordIn(created, create)), text, create.resource.schema)
  )
}

/** Words for a request without credentials. */
const WITHOUT_KEY =
  /\b(without (an? |the |any )?((api|valid) )?(key|token|credentials|authentication|sign(ing)? in)|anonymous|unauthenticated|not signed in)\b/i

/** What a list shows only in a state while nobody is signed in, such as published reviews, it does not show in another state. */
function hiddenCheck(
  create: ResourceBinding,
  list: ResourceBinding,
  texts: DocumentTexts,
): CheckDefinition[] {
  const { operation } = list
  const said = onlySentences(list, texts).filter((one) => WITHOUT_KEY.test(one))
  if (operation.secured || said.length === 0) return []
  const text = 'does not list a new record in a state that is not public'
  const check = operationCheck(operation, 'created/hidden', text, (responses) => {
    const created = responseTo(create, responses)
    const pages = responses.filter((one) => isResponseTo(operation, one) && isSuccess(one))
    const id = created && createdId(created, create)
    if (!created || id === undefined || pages.length === 0) return NOTHING_CREATED
    if (!isLeftOut(created, create, said.join(' '))) return NOT_HIDDEN
    const wrong = pages.find((page) => listedIds(page, list).includes(id))
    return wrong ? failure(wrong, `no record with the id ${id}: "${said[0]?.trim()}"`) : 'passed'
  })
  return [check]
}

const NOT_HIDDEN: LeftOut = { leftOut: 'a new record is in a state that is public' }

function listedIds(page: ProbeResponse, list: ResourceBinding): readonly string[] {
  return recordsAt(page, list)?.flatMap((record) => idIn(record, list) ?? []) ?? []
}

/** A removed record is not found. */
function goneCheck(remove: ResourceBinding, read: ResourceBinding): Step {
  const { id } = remove.operation
  const name = `does not find the record that ${id} removed`

  return step(read, `after/${id}`, name, (responses) => {
    const removed = responseTo(remove, responses)
    const found = responseTo(read, responses)
    if (!removed || !found || !isSuccess(removed)) return { leftOut: 'no record was removed' }
    const state = stateAfter(remove, read)
    if (isSuccess(found) && keepsRecord(remove, state)) return KEPT
    return passIf(!isSuccess(found) || isInState(found, read, state), found, expectedGone(state))
  })
}

/** The request of a story succeeds. */
function doneCheck(binding: ResourceBinding, what: string): Step {
  return step(binding, 'created', what, (responses) => {
    const response = responseTo(binding, responses)
    if (!response) return NOTHING_CREATED
    const { operation } = binding
    if (response.status === 409 && isRefusedByState(operation, response)) return OTHER_STATE
    return hasSuccessStatus(operation, response)
  })
}

/** Where the document says what happens when a record does not exist. */
function hasAbsence({ operation }: ResourceBinding): boolean {
  const { documented } = chooseResponse(operation)
  return documented !== undefined && documentedResponse(operation, 404) !== undefined
}

function responseTo(
  { operation }: ResourceBinding,
  responses: readonly ProbeResponse[],
): ProbeResponse | undefined {
  // PUT may create a record and change it.
  return responses.findLast(({ request }) => request.operation === operation)
}
