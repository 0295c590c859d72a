import { documentedResponse } from '../../contract/documented-response.ts'
import { propertiesOf } from '../../contract/schema.ts'
import type { DocumentTexts } from '../../document/document-texts.ts'
import type { ResourceBinding } from '../../resources/bind.ts'
import { isObject } from '../../validation/objects.ts'
import {
  type CheckDefinition,
  type Evaluate,
  type Evaluation,
  firstProblem,
  type LeftOut,
  operationCheck,
  passIf,
} from '../checks/check.ts'
import {
  isSameMoment,
  isScalar,
  PLACE_IN_LIST,
  sentRecord,
  VOLATILE,
} from '../checks/shown-values.ts'
import { isWhole } from '../checks/whole-list.ts'
import { isGone, isSuccess, type ProbeRequest, type ProbeResponse } from '../messages.ts'
import {
  idIn,
  isItemOf,
  pathOf,
  recordIn,
  recordsAt,
  recordTemplate,
  valuesIn,
  withPath,
} from '../record-address.ts'
import { hasWords, sentencesOf, spaced } from '../session/stated-rules.ts'
import { fullValues, type GivenValues, withValues } from '../test-data/full-body.ts'
import { withOtherValues, wordsOf } from '../test-data/unguessable.ts'
import { numberNames } from '../test-data/values.ts'
import { onAction } from './actions.ts'
import { ORDER, type Probe } from './probe.ts'
import { laterDates } from './stated-once.ts'
import {
  creation,
  idOfCreated,
  listBeside,
  NOT_REACHED,
  onCreated,
  type Step,
  storyOf,
  twoRecords,
} from './steps.ts'

/** A record is removed: it is gone from reads and lists, those before and after it stay, and a second removal does no harm. */
export function removalProbe(
  create: ResourceBinding,
  remove: ResourceBinding,
  read: ResourceBinding | undefined,
  list: ResourceBinding | undefined,
  texts: DocumentTexts,
): Probe {
  const { id } = remove.operation
  // The places of the responses depend on what the document has.
  const steps: Step[] = [
    ...twoRecords(create),
    creation(create, (one, [, second]) => likeOnAnotherDay(one, second, create), 1),
    ...(list ? [listBeside(list, 1)] : []),
    onCreated(remove, create, 1),
  ]
  const [first, second, third, before, done] = [0, 1, 2, 3, list ? 4 : 3]
  const next = (step: Step): number => steps.push(step) - 1
  const checks: CheckDefinition[] = []
  const check = (of: ResourceBinding, name: string, text: string, evaluate: Evaluate): void => {
    checks.push(operationCheck(of.operation, name, text, evaluate))
  }
  const state = read ? stateAfter(remove, read) : {}
  const isRemoval = Object.keys(state).length === 0 && !keepsRecord(remove, state)
  if (read) {
    const places = [first, third].map((one) => next(onCreated(read, create, one)))
    check(remove, 'others', 'removes no other record', (all) => {
      const removed = all[done]
      const found = places.flatMap((at) => all[at] ?? [])
      const [other = removed] = found.filter((one) => !isSuccess(one)).concat(found)
      if (!removed || !other || found.length === 0 || !isSuccess(removed)) return NOT_REACHED
      return passIf(isSuccess(other), other, 'the other record')
    })
    check(remove, 'others/values', 'changes no other record', (all) => {
      const removed = all[done]
      const pairs = places.map((at, which) => [all[which === 0 ? first : third], all[at]] as const)
      const changed = pairs.flatMap(([made, found]) =>
        made && found && [made, found].every(isSuccess) ? [[made, found] as const] : [],
      )
      if (!removed || !isSuccess(removed) || changed.length === 0) return NOT_REACHED
      return firstProblem(changed.map((pair) => staysAs(pair, create, read, remove, texts)))
    })
  }
  if (list && isRemoval) {
    const at = next(listBeside(list, 1))
    check(list, `after/${id}`, `does not list the record that ${id} removed`, (all) => {
      const [other, own, removed, listed] = [all[first], all[second], all[done], all[at]]
      if (!other || !own || !removed || !listed || !isSuccess(removed) || !isSuccess(listed))
        return NOT_REACHED
      const gone = idOfCreated(own, create)
      return passIf(
        gone === undefined || !idsOf(listed, list).includes(gone),
        listed,
        `a list without ${gone}`,
      )
    })
    const listed = listedCheck(create, remove, list, [second, before, done, at])
    checks.push(listed, ...gapCheck(remove, list, [done, at], texts))
  }
  if (read) {
    const gone = next(onCreated(read, create, 1))
    const again = next(afterAbsence(onCreated(remove, create, 1), gone))
    checks.push(twiceCheck(remove, done, again))
  }
  return storyOf(ORDER.remove + 0.5, steps, checks)
}

/** Names of values that may follow from other records, such as the place in a list, unless a text says that they stay. */
const PLACE =
  /updat|modif|chang|(position|rank|order|index|place|sort|number|count|total|sum|available\w*)$/i
const STAYS = /\b(not|never)\b.*\b(change|move|renumber)|\b(stays?|remains?|keeps?|kept)\b/i

/** Whether a record has the numbers and texts that it had when it was created. */
function staysAs(
  [made, found]: readonly [ProbeResponse, ProbeResponse],
  create: ResourceBinding,
  read: ResourceBinding,
  remove: ResourceBinding,
  texts: DocumentTexts,
): Evaluation {
  const said = spaced(texts.operation(remove.operation.id))
  // "The oldest waiting enrolment becomes active" is a change that the removal makes.
  const isTold = (...values: readonly unknown[]): boolean =>
    values.every((one) => hasWords(said, spaced(String(one))))
  const [before, after] = [recordIn(made, create), recordIn(found, read)].map(valuesIn)
  if (!isObject(before) || !isObject(after)) return NOT_REACHED
  const [name] =
    Object.entries(before).find(([one, value]) => {
      const isFree = PLACE.test(one) && !STAYS.test(texts.property(create.operation.id, one))
      return isScalar(value) &&
        isScalar(after[one]) &&
        !isFree &&
        !VOLATILE.test(one) &&
        !isTold(value, after[one])
        ? String(value) !== String(after[one]) && !isSameMoment(value, after[one])
        : false
    }) ?? []
  const value = name !== undefined && JSON.stringify(before[name])
  return passIf(name === undefined, found, `"${name}": ${value}, as before the removal`)
}

/** The request for a record that has the texts of another one, and other days: a removal may be one of all that are alike. */
function likeOnAnotherDay(
  request: ProbeRequest,
  created: ProbeResponse | undefined,
  create: ResourceBinding,
): ProbeRequest {
  const sent = created && sentRecord(created, create)
  const days = laterDates(request, create)
  if (!isObject(sent) || Object.keys(days).length === 0) return withOtherValues(request, create)
  // A code may be that of one record only.
  const texts = Object.entries(fullValues(create)).flatMap(([name, value]) =>
    typeof value === 'string' && name in sent ? [[name, sent[name]] as const] : [],
  )
  return withValues(request, create, { ...Object.fromEntries(texts), ...days })
}

/** What says that the places of records are counted on when one of them is removed. */
const WITHOUT_GAPS =
  /\b(without|no|never any) (gaps?|holes?)\b|\b(consecutive|contiguous|gapless)\b|\b(later|following|behind|after)\b[^.]*\b(move|close|shift)s? up\b/i

/** The places of the records below one record have no gap after a removal, where a text says so. */
function gapCheck(
  remove: ResourceBinding,
  list: ResourceBinding,
  [done, after]: readonly [done: number, after: number],
  texts: DocumentTexts,
): CheckDefinition[] {
  const { id } = remove.operation
  const isSaid = (text: string): boolean => WITHOUT_GAPS.test(text)
  const name = numberNames(list.resource.schema).find(
    (one) =>
      PLACE_IN_LIST.test(one) &&
      (isSaid(texts.property(list.operation.id, one)) || isSaid(texts.operation(id))),
  )
  if (name === undefined || recordTemplate(list.operation).length === 0) return []
  const text = `counts ${name} without gaps after a removal`
  const check = operationCheck(remove.operation, `${name}/gaps`, text, (all) => {
    const [removed, listed] = [all[done], all[after]]
    if (!removed || !listed || ![removed, listed].every(isSuccess) || !isWhole(listed, list))
      return NOT_REACHED
    const places = (recordsAt(listed, list) ?? []).map((one) => {
      const values = valuesIn(one)
      return isObject(values) ? Number(values[name]) : Number.NaN
    })
    const sorted = places.sort((one, other) => one - other)
    const isNext = sorted.every((one, at) => at === 0 || one === Number(sorted[at - 1]) + 1)
    return sorted.length < 2 ? NOT_REACHED : passIf(isNext, listed, 'no gap', sorted.join(', '))
  })
  return [check]
}

/** What says that the id or the number of a removed record is that of no other one. */
const NEVER_AGAIN =
  /\b(never|not) (be )?((used|given|issued|assigned) (again|twice|anew|to (an)?other)|re-?used|re-?assigned)\b/i

/** A record that is created after the removal of the newest one has another id, and another number; only where a text says so. */
export function newIdProbe(
  create: ResourceBinding,
  remove: ResourceBinding,
  texts: DocumentTexts,
): Probe[] {
  const stated = neverAgainIn(create, remove, texts)
  if (stated.length === 0 || create.operation.method !== 'POST') return []
  const checks = stated.map(({ name, sentence }) => {
    const text = `gives the ${name} of a removed record to no other one`
    const id = name === create.resource.id ? 'new-id' : `new-${name}`
    return operationCheck(create.operation, id, text, ([first, removed, second]) => {
      const [old, next] = [first, second].map((one) => {
        const record = one && isSuccess(one) ? valuesIn(recordIn(one, create)) : undefined
        return isObject(record) ? record[name] : undefined
      })
      if (!removed || !isSuccess(removed) || !second || old === undefined || next === undefined)
        return NOT_REACHED
      return passIf(next !== old, second, `another ${name}: "${sentence.trim()}"`)
    })
  })
  const steps = [creation(create), onCreated(remove, create, 0), creation(create, (one) => one, 0)]
  return [storyOf(ORDER.remove + 0.58, steps, checks)]
}

/** The properties whose values a text says are given only once: the id, and a number that the service counts. */
function neverAgainIn(
  create: ResourceBinding,
  remove: ResourceBinding,
  texts: DocumentTexts,
): readonly { readonly name: string; readonly sentence: string }[] {
  const { id } = create.resource
  const sentenceIn = (text: string): string | undefined =>
    sentencesOf(text).find((one) => NEVER_AGAIN.test(one))
  const [last = ''] = remove.operation.parameters
    .flatMap((one) => (one.in === 'path' ? [texts.parameter(remove.operation.id, one.name)] : []))
    .slice(-1)
  const own = sentenceIn([texts.property(create.operation.id, id), last].join('. '))
  const said = [create, remove].map(({ operation }) => texts.operation(operation.id))
  const general = [texts.api, ...said].flatMap((text) => sentenceIn(text) ?? [])
  const counted = [...propertiesOf(create.resource.schema)].flatMap(([name, { readOnly }]) => {
    const about = general.find((one) => hasWords(one, spaced(name)))
    const sentence = sentenceIn(texts.property(create.operation.id, name)) ?? about
    return readOnly && sentence !== undefined ? [{ name, sentence }] : []
  })
  const sentence = own ?? general.find((one) => /\bids?\b/i.test(one))
  return [...(sentence === undefined ? [] : [{ name: id, sentence }]), ...counted.slice(0, 1)]
}

/** A second removal finds nothing, and does no harm. */
function twiceCheck({ operation }: ResourceBinding, done: number, again: number): CheckDefinition {
  const isGoneDocumented = operation.responses.some(isGone)
  const text = isGoneDocumented
    ? 'finds no record to remove a second time'
    : 'answers a second removal'
  return operationCheck(operation, 'twice', text, (all) => {
    const [removed, repeated] = [all[done], all[again]]
    if (!removed || !repeated || !isSuccess(removed)) return NOT_REACHED
    const { status } = repeated
    if (isGoneDocumented) return passIf(!isSuccess(repeated) && status < 500, repeated, '404')
    const isRight = isSuccess(repeated) || isGone(repeated) || [409, 400, 403, 422].includes(status)
    return passIf(isRight, repeated, '404 or 2xx')
  })
}

/** What a list showed before a removal, it shows afterwards, but for the removed record. */
function listedCheck(
  create: ResourceBinding,
  remove: ResourceBinding,
  list: ResourceBinding,
  places: readonly [second: number, before: number, done: number, after: number],
): CheckDefinition {
  const done = places[1]
  const name = 'removes no other record of the list'
  return operationCheck(remove.operation, 'others/listed', name, (all) => {
    const [own, known, removed, listed] = places.map((at) => all[at])
    if (!own || !known || !removed || !listed || ![known, removed, listed].every(isSuccess))
      return NOT_REACHED
    const gone = idOfCreated(own, create)
    const created = all.slice(0, done).map((one) => idOfCreated(one, create))
    const still = idsOf(listed, list)
    // What somebody else removes meanwhile is no record of a run.
    const lost = (recordsAt(known, list) ?? []).find((record) => {
      const id = idIn(record, list)
      const isOwn = created.includes(id) || wordsOf(JSON.stringify(record) ?? '').length > 0
      return isOwn && id !== undefined && id !== gone && !still.includes(id)
    })
    return passIf(lost === undefined, listed, `a list with ${idIn(lost, list)}, as before`)
  })
}

function idsOf(listed: ProbeResponse, list: ResourceBinding): readonly string[] {
  return recordsAt(listed, list)?.flatMap((one) => idIn(one, list) ?? []) ?? []
}

/**
 * The values of a record that a removal sets instead of removing it, such as `cancelled` as the status of an order, as far as a read
 * shows them.
 */
export function stateAfter(
  { hints: { set = {} } }: ResourceBinding,
  { resource }: ResourceBinding,
): GivenValues {
  const shown = propertiesOf(resource.schema)
  const isShown = ([name, value]: [string, unknown]): boolean =>
    shown.has(name) && typeof value === 'string' && !value.includes('{')
  return Object.fromEntries(Object.entries(set).filter(isShown))
}

/** Whether a removal may keep the record in a state that the document does not name, as its name says. */
export function keepsRecord({ operation }: ResourceBinding, state: GivenValues): boolean {
  const text = `${operation.id} ${operation.summary ?? ''}`
  return Object.keys(state).length === 0 && /cancel|archiv|deactivat|disabl|suspend/i.test(text)
}

export const KEPT: LeftOut = { leftOut: 'the record may be kept in another state' }

/** Whether a response shows a record with all values of a state; `false` without any. */
export function isInState(
  found: ProbeResponse,
  read: ResourceBinding,
  state: GivenValues,
): boolean {
  const values = valuesIn(recordIn(found, read))
  const wanted = Object.entries(state)
  return (
    wanted.length > 0 && isObject(values) && wanted.every(([name, value]) => values[name] === value)
  )
}

/** What is expected of a read after a removal. */
export function expectedGone(state: GivenValues): string {
  const [first] = Object.entries(state)
  return first ? `"${first[0]}": ${JSON.stringify(first[1])}, or 404` : '404'
}

/** A request on a record whose removal a response shows: a service that keeps it shows that elsewhere. */
function afterAbsence(step: Step, at: number): Step {
  return async (session, before) => {
    const found = before[at]
    return found && isGone(found) ? await step(session, before) : undefined
  }
}

/**
 * A removal of no record below one of the run, with an id that nobody could guess. It is for records that no operation reads: of others, a
 * removal is sent twice.
 */
export function absentRemovalProbe(create: ResourceBinding, remove: ResourceBinding): Probe[] {
  const { operation } = remove
  const parameter = operation.parameters.findLast((one) => one.in === 'path')
  const isBelow =
    recordTemplate(create.operation).length > 0 && isItemOf(create.operation, operation)
  if (!parameter || !isBelow || operation.body || !operation.responses.some(isGone)) return []
  const text = `finds no record with an unknown ${parameter.name}`
  const check = operationCheck(operation, 'absent', text, ([, removed]) =>
    removed ? passIf(!isSuccess(removed), removed, '404') : NOT_REACHED,
  )
  const absent: Step = async (session, before) => {
    const request = await onCreated(remove, create, 0)(session, before)
    const id = session.gate.ids.newId(parameter.schema, parameter.validate)
    if (!request || id === undefined) return undefined
    const path = pathOf(request.target).replace(/[^/]*$/, encodeURIComponent(id))
    const { isValid: _valid, ...others } = request
    return { ...others, target: withPath(request.target, path), isInvalid: true }
  }
  return [storyOf(ORDER.remove + 0.55, [creation(create), absent], [check])]
}

/** A change of a removed record; only where the document has a 404 for it, and PUT does not create records. */
export function goneProbe(
  create: ResourceBinding,
  remove: ResourceBinding,
  read: ResourceBinding,
  change: ResourceBinding,
): Probe[] {
  const { operation, resource } = change
  const isGoneDocumented = documentedResponse(operation, 404) !== undefined
  const creates =
    operation.method === 'PUT' &&
    (resource.hasClientIds === true || operation.responses.some(({ status }) => status === 201))
  if (!isGoneDocumented || creates || operation.method === 'POST') return []
  const check = operationCheck(
    operation,
    'removed',
    'does not change a record that is removed',
    ([, removed, , changed]) => {
      if (!removed || !changed || !isSuccess(removed)) return NOT_REACHED
      return passIf(!isSuccess(changed), changed, '404')
    },
  )
  const steps = [
    creation(create),
    onCreated(remove, create, 0),
    onCreated(read, create, 0),
    afterAbsence(onCreated(change, create, 0), 2),
  ]
  return [storyOf(ORDER.remove + 0.6, steps, [check])]
}

/** Actions that are for records which are removed. */
const BRINGS_BACK = /restor|undelet|recover|reactivat|unarchiv|reviv/i

/** An action of known effect on a removed record; only where the document has a 404 for it. */
export function goneActionProbe(
  create: ResourceBinding,
  remove: ResourceBinding,
  read: ResourceBinding,
  action: ResourceBinding,
): Probe[] {
  const { operation, hints } = action
  const isClear = operation.body !== undefined || Object.keys(hints.set ?? {}).length > 0
  const isBack = BRINGS_BACK.test(`${operation.path} ${operation.id}`)
  if (!isClear || isBack || !documentedResponse(operation, 404)) return []
  const name = 'does not act on a record that is removed'
  const check = operationCheck(operation, 'removed', name, ([, removed, , done]) =>
    removed && done && isSuccess(removed)
      ? passIf(!isSuccess(done) && done.status < 500, done, '404')
      : NOT_REACHED,
  )
  const steps = [
    creation(create),
    onCreated(remove, create, 0),
    onCreated(read, create, 0),
    afterAbsence(onAction(action, create), 2),
  ]
  return [storyOf(ORDER.remove + 0.6, steps, [check])]
}
