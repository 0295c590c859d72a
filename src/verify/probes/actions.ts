import type { Operation } from '../../contract/contract.ts'
import { documentedResponse } from '../../contract/documented-response.ts'
import { SERVICE_VALUES } from '../../contract/hints.ts'
import { propertiesOf } from '../../contract/schema.ts'
import type { DocumentTexts } from '../../document/document-texts.ts'
import type { ResourceBinding } from '../../resources/bind.ts'
import { referenceName } from '../../resources/reference-names.ts'
import { isObject } from '../../validation/objects.ts'
import {
  type CheckDefinition,
  hasSuccessStatus,
  type LeftOut,
  operationCheck,
  passIf,
} from '../checks/check.ts'
import { sentRecord } from '../checks/shown-values.ts'
import { isSuccess, type ProbeResponse } from '../messages.ts'
import {
  idIn,
  isOnItem,
  isParameter,
  recordIn,
  recordTemplate,
  segmentsOf,
  valuesIn,
} from '../record-address.ts'
import type { BoundResource } from '../resource-operations.ts'
import { sentencesOf } from '../session/stated-rules.ts'
import { choicesFor, type GivenValues, withValues } from '../test-data/full-body.ts'
import { ORDER, type Probe } from './probe.ts'
import { isRevision } from './record-parts.ts'
import { type Around, effectChecks, effectsTold, movedNumbers } from './stated-effects.ts'
import { creation, NOT_REACHED, onCreated, type Step, storyOf } from './steps.ts'
import { isRefusedByState, OTHER_STATE } from './valid-requests.ts'

/** Actions on a record of the run: they change it as the document says, and once only where it says that. */
export function actionProbes({ bindings, actions }: BoundResource, texts: DocumentTexts): Probe[] {
  const { create, read, remove } = bindings
  if (!create) return []
  const onItem = (one: ResourceBinding | undefined): ResourceBinding | undefined =>
    one && isOnItem(create, one) ? one : undefined
  const [reads, removes] = [onItem(read), onItem(remove)]
  const onRecords = actions.filter((action) => isOnRecord(action, create))
  const unclear = onRecords.filter((one) => !one.operation.body && effectsOf(one).length === 0)

  return [
    ...onRecords.map((action) => actionProbe({ create, read: reads, action }, onRecords, texts)),
    ...(reads && removes && documentedResponse(reads.operation, 404)
      ? unclear.map((action) => restorationProbe(create, reads, removes, action))
      : []),
  ]
}

/** Whether the summary of an operation has each value that it sets, as code. */
function states({ summary = '' }: Operation, values: readonly [string, unknown][]): boolean {
  return values.every(([, value]) => summary.includes(`\`${value}\``))
}

/** The values that an action sets. */
export function effectsOf({ hints: { set = {} } }: ResourceBinding): readonly [string, unknown][] {
  return Object.entries(set).filter(([, value]) => isPlain(value))
}

/** An action that succeeds on a removed record brings it back. */
function restorationProbe(
  create: ResourceBinding,
  read: ResourceBinding,
  remove: ResourceBinding,
  action: ResourceBinding,
): Probe {
  const steps: Step[] = [
    creation(create),
    onCreated(remove, create, 0),
    // It shows that there is no record at the path, so that the action can change none of others.
    onCreated(read, create, 0),
    onAction(action, create),
    onCreated(read, create, 0),
  ]
  const name = 'brings a removed record back if it succeeds on one'
  const check = operationCheck(action.operation, 'restored', name, (all) => {
    const [, , absent, done, found] = all
    if (!absent || isSuccess(absent) || !done || !found) return NOT_REACHED
    if (!isSuccess(done) || done.status === ACCEPTED) return REFUSED
    return passIf(isSuccess(found), found, 'the record, after the action has succeeded')
  })
  return storyOf(ORDER.remove + 0.7, steps, [check])
}

const REFUSED: LeftOut = { leftOut: 'the action is refused on a removed record' }

/** Whether the path of an action is that of one record with a word after it. */
export function isOnRecord(
  { operation, resource }: ResourceBinding,
  create: ResourceBinding,
): boolean {
  const collection = segmentsOf(create.operation.path)
  const item = segmentsOf(operation.path).slice(0, -1)
  if (recordTemplate(operation).length !== item.length) return false
  const isBelow =
    item.length === collection.length + 1 && collection.every((word, at) => word === item[at])
  const isElsewhere =
    create.resource === resource && item.findIndex(isParameter) === item.length - 1

  return isBelow || isElsewhere
}

/** Whether an action sets values from which it is not allowed. */
function isOnce({ hints: { set = {}, from = {} } }: ResourceBinding): boolean {
  return Object.entries(from).some(
    ([name, allowed]) => isPlain(set[name]) && ![allowed].flat().includes(set[name]),
  )
}

/** An action, and how its records are created and read. */
interface ActionOnRecord {
  readonly create: ResourceBinding
  readonly read: ResourceBinding | undefined
  readonly action: ResourceBinding
}

function actionProbe(
  { create, read, action }: ActionOnRecord,
  all: readonly ResourceBinding[],
  texts: DocumentTexts,
): Probe {
  const { operation } = action
  const values = effectsOf(action)
  const told = effectsTold(action, read, texts)
  const isVisible = values.length + told.length > 0 || operation.body !== undefined
  const before = {
    ...otherChoices(create, Object.fromEntries(values)),
    ...movedNumbers(told, create),
  }
  const [leading, again] = [stepsToState(create, action, all), secondTry(create, action, all)]
  const steps: Step[] = [
    creation(create, (one) => withValues(one, create, before)),
    ...leading,
    ...otherReference(action),
    onAction(action, create),
    ...again,
  ]
  // What comes before the action depends on the state of the new record.
  const byPlace: ByPlace = (responses) => {
    const isOf = ({ request }: ProbeResponse): boolean => request.operation === operation
    const success = responses.findIndex((one) => isOf(one) && isSuccess(one))
    const at = success < 0 ? responses.findLastIndex(isOf) : success
    return at < 0 ? responses.slice(0, 1) : [...responses.slice(0, 1), ...responses.slice(at)]
  }
  const isOpen = hasCondition(texts.operation(operation.id))
  const checks = [doneCheck(create, action, byPlace, isOpen)]
  const first = steps.length - 2
  const next = (step: Step): number => steps.push(step) - 1 - first
  if (read && isVisible) {
    const at = next(onCreated(read, create, 0))
    if (operation.body) checks.push(keptCheck(action, read, byPlace, at, texts))
    checks.push(shownCheck(action, read, byPlace, at))
    if (values.length > 0) checks.push(effectCheck(create, action, read, byPlace, at))
    checks.push(...clearedCheck(action, read, byPlace, at))
    checks.push(...effectChecks(action, told, (all) => aroundAction(all, create, action, read)))
  }
  const version = read && versionOf(read, texts)
  if (read && version !== undefined) {
    if (!isVisible) next(onCreated(read, create, 0))
    checks.push(versionCheck(create, action, read, version))
  }
  if (documentedResponse(operation, 409) && isOnce(action)) {
    const at = next(onAction(action, create))
    checks.push(twiceCheck(action, byPlace, at))
  }
  const story = storyOf(ORDER.change + 0.7, steps, checks)
  return withOtherReferences(story, operation, [...leading, ...again])
}

function twiceCheck({ operation }: ResourceBinding, byPlace: ByPlace, at: number): CheckDefinition {
  const name = 'refuses the same action twice with a 409'
  return operationCheck(operation, 'twice', name, (responses) => {
    const all = byPlace(responses)
    const [, done] = all
    const second = all[at]
    if (!done || !second || !isSuccess(done)) return NOT_REACHED
    return passIf(second.status === 409, second, '409')
  })
}

/** What an action refers to is another record than that to which the new one refers: a service may forget the change. */
function otherReference({ operation, resource }: ResourceBinding): readonly Step[] {
  const sent = [...propertiesOf(operation.body?.schema ?? {}).keys()]
  const own = propertiesOf(resource.schema)
  if (!sent.some((name) => own.has(name) && referenceName(name).hasIdSuffix)) return []
  return [
    async (session, [created]) => {
      if (created) session.renewReferences(created.request)
      return null
    },
  ]
}

/** The story of an action, once more with a record that refers to others, where its record did not come into the state that it needs. */
function withOtherReferences(story: Probe, operation: Operation, others: readonly Step[]): Probe {
  if (others.length === 0) return story
  return {
    ...story,
    maxRequests: 2 * story.maxRequests,
    creations: 2 * (story.creations ?? 1),
    send: async (session) => {
      const responses = await story.send(session)
      const [created] = responses
      const isDone = responses.some((one) => one.request.operation === operation && isSuccess(one))
      // What the record refers to may allow the state before the action only once.
      const isAgain = created && !isDone && isBlocked(responses, operation)
      return isAgain && session.renewReferences(created.request)
        ? await story.send(session)
        : responses
    },
  }
}

/** Whether the state of a record did not allow the action that comes before another one. */
function isBlocked(responses: readonly ProbeResponse[], operation: Operation): boolean {
  return responses.slice(1).some((one) => {
    const { operation: sent } = one.request
    return sent !== undefined && sent !== operation && isRefusedByState(sent, one)
  })
}

/** The number of the version of a record, where its description says that each change moves it: others count some changes only. */
function versionOf(
  { operation, resource }: ResourceBinding,
  texts: DocumentTexts,
): string | undefined {
  const [name] =
    [...propertiesOf(resource.schema)].find(([one, property]) => isRevision(one, property)) ?? []
  const isOfEach = /\b(each|every|any)\b.*\bchange/i.test(texts.property(operation.id, name ?? ''))
  return isOfEach ? name : undefined
}

/** An action that changes the record moves the number of its version. */
function versionCheck(
  create: ResourceBinding,
  action: ResourceBinding,
  read: ResourceBinding,
  version: string,
): CheckDefinition {
  const text = `moves ${version}, the number of the version`
  return operationCheck(action.operation, version, text, (responses) => {
    const { before, after: now, found: after } = aroundAction(responses, create, action, read) ?? {}
    if (!after || !isObject(before) || !isObject(now)) return NOT_REACHED
    const isSame = (name: string): boolean =>
      JSON.stringify(before[name]) === JSON.stringify(now[name])
    // An action that changes nothing makes no new version.
    const hasChanged = Object.keys(before).some((name) => name in now && !isSame(name))
    return passIf(!(hasChanged && isSame(version)), after, `another ${version}`)
  })
}

/** The record before an action that was done, and as it is read after it. */
function aroundAction(
  responses: readonly ProbeResponse[],
  create: ResourceBinding,
  action: ResourceBinding,
  read: ResourceBinding,
): ReturnType<Around> {
  const at = responses.findIndex(
    (one) => one.request.operation === action.operation && isSuccess(one),
  )
  const [earlier, done, found] = [responses[at - 1], responses[at], responses[at + 1]]
  if (!earlier || !done || !found || ![earlier, found].every(isSuccess)) return undefined
  if (found.request.operation !== read.operation || done.status === ACCEPTED) return undefined
  const isFirst = earlier === responses[0]
  const before = valuesIn(recordIn(earlier, isFirst ? create : action))
  return { before, after: valuesIn(recordIn(found, read)), done, found }
}

/** Whether a description says that more than the state of a record can prevent an action, such as an order without lines. */
function hasCondition(text: string): boolean {
  return sentencesOf(text).some(
    (one) =>
      /\b409\b|\bconflict\b|\b(can ?not|can't)\b/i.test(one) &&
      /\b(without|no|has|have|empty|at least|enough|exceed|less|more|while|any|none|every|each|all)\b/i.test(
        one,
      ),
  )
}

/** The creation, the action, and what follows it. */
type ByPlace = (responses: readonly ProbeResponse[]) => readonly ProbeResponse[]

function doneCheck(
  create: ResourceBinding,
  action: ResourceBinding,
  byPlace: ByPlace,
  isOpen: boolean,
): CheckDefinition {
  const { operation } = action
  return operationCheck(operation, 'done', 'acts on a created record', (responses) => {
    const [, done] = byPlace(responses)
    if (!done) return NOT_REACHED
    // The document does not say on which records an action of unknown effect is possible.
    const isUnclear =
      isOpen ||
      effectsOf(action).length === 0 ||
      isOfOtherState(responses, create, action) ||
      isBlocked(responses, operation)
    return isUnclear && isRefusedByState(operation, done)
      ? OTHER_STATE
      : hasSuccessStatus(operation, done)
  })
}

/** The responses around an action that was done, with the later read at a place; `undefined` when it was not, or may be done later. */
function doneAction(
  all: readonly ProbeResponse[],
  at: number,
):
  | Readonly<Record<'done' | 'found', ProbeResponse> & { created: ProbeResponse | undefined }>
  | undefined {
  const [created, done] = all
  const found = all[at]
  const isDone = done && isSuccess(done) && done.status !== ACCEPTED

  return isDone && found && isSuccess(found) ? { created, done, found } : undefined
}

/** An accepted action may be done later. */
export const ACCEPTED = 202

/** The record has the values that an action sets. What only a description says may be meant otherwise: another change is enough. */
function effectCheck(
  create: ResourceBinding,
  action: ResourceBinding,
  read: ResourceBinding,
  byPlace: ByPlace,
  at: number,
): CheckDefinition {
  const { operation } = action
  const values = effectsOf(action)
  return operationCheck(operation, 'effect', 'changes the record', (responses) => {
    const { created, done, found } = doneAction(byPlace(responses), at) ?? {}
    if (!created || !done || !found) return NOT_REACHED
    // Another action may have come before this one.
    const others = responses.slice(1, responses.indexOf(done)).filter(isSuccess)
    const last = others.at(-1)
    const before = last ? recordIn(last, action) : recordIn(created, create)
    const after = recordIn(found, read)
    if (!isObject(after)) return NOT_REACHED
    const isSet = values.every(([key, value]) => after[key] === value)
    const hasChanged = JSON.stringify(before) !== JSON.stringify(after)
    const expected = values.map(([key, value]) => `"${key}": ${JSON.stringify(value)}`)
    const isOther = hasChanged && !states(operation, values)
    return passIf(isSet || isOther, found, expected.join(', '))
  })
}

/** The properties that an action sets to null are null afterwards. */
function clearedCheck(
  action: ResourceBinding,
  read: ResourceBinding,
  byPlace: ByPlace,
  at: number,
): CheckDefinition[] {
  const { operation, hints } = action
  const names = Object.entries(hints.set ?? {}).flatMap(([name, value]) =>
    value === null || value === SERVICE_VALUES.absent ? [name] : [],
  )
  if (names.length === 0) return []
  const check = operationCheck(operation, 'cleared', `clears ${names.join(' and ')}`, (all) => {
    const { found } = doneAction(byPlace(all), at) ?? {}
    const shown = found && valuesIn(recordIn(found, read))
    if (!found || !isObject(shown)) return NOT_REACHED
    const kept = names.find((name) => (shown[name] ?? null) !== null)
    return passIf(kept === undefined, found, `"${kept}": null`)
  })
  return [check]
}

/** The list of the properties that an action sets. */
const SETS = /\bsets (\w+(?:, \w+)*(?:,? and \w+)?)\b/i

/** What an action gets for properties of the record is in the record afterwards, such as the reason of a cancellation. */
function keptCheck(
  action: ResourceBinding,
  read: ResourceBinding,
  byPlace: ByPlace,
  at: number,
  texts: DocumentTexts,
): CheckDefinition {
  const name = 'keeps the values that it gets for the record'
  // "Sets state and seeds_given_back" is all that it sets.
  const said = sentencesOf(texts.operation(action.operation.id)).join(' ')
  const listed = SETS.exec(said)?.[1]?.match(/\w+/g) ?? []
  const names = listed.filter((one) => propertiesOf(read.resource.schema).has(one))
  const isSet = (key: string): boolean => names.length < 2 || names.includes(key)
  return operationCheck(action.operation, 'kept', name, (responses) => {
    const { done, found } = doneAction(byPlace(responses), at) ?? {}
    const sent = done && sentRecord(done, action)
    if (!done || !found || !isObject(sent)) return NOT_REACHED
    const shown = valuesIn(recordIn(found, read))
    // What it returns may be another record, which it has created.
    const [own, other] = [idIn(recordIn(found, read), read), idIn(recordIn(done, action), action)]
    if (other !== undefined && own !== other) return NOT_REACHED
    const known = Object.entries(sent).filter(
      ([key, value]) =>
        isObject(shown) &&
        isSet(key) &&
        (isPlain(value) || typeof value === 'string') &&
        [typeof value, 'object'].includes(typeof shown[key]),
    )
    if (known.length === 0 || !isObject(shown))
      return { leftOut: 'it gets no values of the record' }
    // A reason may be kept as that of the action, such as `cancelReason`.
    const kept = new Set(Object.values(shown).filter((one) => typeof one === 'string'))
    const [lost] =
      known.find(([key, value]) => shown[key] !== value && !kept.has(String(value))) ?? []
    const value = lost !== undefined && JSON.stringify(sent[lost])
    return passIf(lost === undefined, found, `"${lost}": ${value}, as it was sent`)
  })
}

/** The response to an action shows what the action sets as a read shows it afterwards, whose response is at a place. */
function shownCheck(
  action: ResourceBinding,
  read: ResourceBinding,
  byPlace: ByPlace,
  at: number,
): CheckDefinition {
  const name = 'returns the record as it is afterwards'
  return operationCheck(action.operation, 'shown', name, (responses) => {
    const { done, found } = doneAction(byPlace(responses), at) ?? {}
    if (!done || !found) return NOT_REACHED
    const [shown, after] = [recordIn(done, action), recordIn(found, read)]
    if (!isObject(shown) || !isObject(after)) return NOT_REACHED
    // The `status` of a result is not that of the record.
    if (idIn(shown, action) !== idIn(after, read)) return NOT_REACHED
    const [stale] =
      effectsOf(action).find(
        ([key]) => isPlain(shown[key]) && isPlain(after[key]) && shown[key] !== after[key],
      ) ?? []
    const value = stale !== undefined && JSON.stringify(after[stale])
    return passIf(stale === undefined, done, `"${stale}": ${value}, as it is read then`)
  })
}

/** The values from which an action is allowed, for the properties for which the document says it. */
function startsOf({ hints: { from = {} } }: ResourceBinding): readonly [string, unknown[]][] {
  return Object.entries(from).map(([name, allowed]) => [name, [allowed].flat()])
}

/** A property of a record from whose value an action is not allowed. */
function wrongStart(record: unknown, action: ResourceBinding): string | undefined {
  const values = valuesIn(record)
  if (!isObject(values)) return undefined
  return startsOf(action).find(
    ([name, allowed]) => isPlain(values[name]) && !allowed.includes(values[name]),
  )?.[0]
}

/** Another action of the same records, if a new record is in a state from which the document does not allow the action. */
export function stepsToState(
  create: ResourceBinding,
  action: ResourceBinding,
  all: readonly ResourceBinding[],
): readonly Step[] {
  const leading = startsOf(action)
    .flatMap(([name, allowed]) =>
      all.filter((one) => one !== action && allowed.includes(one.hints.set?.[name])),
    )
    .sort(
      (one, other) => Number(Boolean(one.operation.body)) - Number(Boolean(other.operation.body)),
    )
  if (leading.length === 0) return []
  const step: Step = async (session, before) => {
    const [created] = before
    const record = created && isSuccess(created) ? recordIn(created, create) : undefined
    const isNeeded = wrongStart(record, action) !== undefined
    const other = leading.find((one) => wrongStart(record, one) === undefined)
    return isNeeded && other ? await onAction(other, create)(session, before) : null
  }
  return [step]
}

/** The action again after another one, if the state of a new record did not allow it, although the document does not say so. */
function secondTry(
  create: ResourceBinding,
  action: ResourceBinding,
  all: readonly ResourceBinding[],
): readonly Step[] {
  const isOther = (one: ResourceBinding): boolean =>
    one !== action && !one.operation.body && effectsOf(one).length > 0
  const other = all.find(isOther)
  if (!other || effectsOf(action).length === 0) return []
  const first: Step = async (session, before) => {
    const refused = before.at(-1)
    const isRefused = refused && isRefusedByState(action.operation, refused)
    return isRefused ? await onAction(other, create)(session, before) : null
  }
  const second: Step = async (session, before) =>
    before.at(-1)?.request.operation === other.operation
      ? await onAction(action, create)(session, before)
      : null
  return [first, second]
}

/** Whether the record was in a state from which the document does not allow an action, as the response before it shows. */
function isOfOtherState(
  responses: readonly ProbeResponse[],
  create: ResourceBinding,
  action: ResourceBinding,
): boolean {
  const at = responses.findIndex(({ request }) => request.operation === action.operation)
  const before = responses[at - 1]
  if (!before || !isSuccess(before)) return before !== undefined
  const record = recordIn(before, before === responses[0] ? create : action)
  return wrongStart(record, action) !== undefined
}

/** Values of enums in a new record that are not yet those that an action sets. */
function otherChoices(create: ResourceBinding, set: GivenValues): GivenValues {
  const choices = choicesFor(create, set)
  return Object.fromEntries(Object.entries(choices).filter(([name]) => Object.hasOwn(set, name)))
}

/** Whether a hint is a value, and no placeholder. */
export function isPlain(value: unknown): boolean {
  return (
    typeof value === 'boolean' ||
    typeof value === 'number' ||
    (typeof value === 'string' && !value.includes('{'))
  )
}

/** An action on the record that the response at a place created. */
export function onAction(action: ResourceBinding, create: ResourceBinding, at = 0): Step {
  const word = segmentsOf(action.operation.path).at(-1) ?? ''
  return onCreated(action, create, at, (request) => {
    const [path = '', query] = request.target.split('?')
    const end = action.operation.path.endsWith('/') ? '/' : ''
    const target = `${path.replace(/\/$/, '')}/${word}${end}`
    return { ...request, target: query === undefined ? target : `${target}?${query}` }
  })
}
