import { documentedResponse } from '../../contract/documented-response.ts'
import type { ResourceBinding } from '../../resources/bind.ts'
import { isObject } from '../../validation/objects.ts'
import {
  type CheckDefinition,
  hasSuccessStatus,
  type LeftOut,
  operationCheck,
  passIf,
} from '../checks/check.ts'
import type { BoundResource } from '../resource-operations.ts'
import { isSuccess } from '../session/messages.ts'
import { isItemOf, recordIn, recordTemplate, segmentsOf } from '../session/record-address.ts'
import { choicesFor, type GivenValues, withValues } from '../test-data/full-body.ts'
import { ORDER, type Probe } from './probe.ts'
import { creation, NOT_REACHED, onCreated, type Step, storyOf } from './steps.ts'
import { isRefusedByState, OTHER_STATE } from './valid-requests.ts'

/** Actions on a record of the run: they change it as the document says, and once only where it says that. */
export function actionProbes({ bindings, actions }: BoundResource): Probe[] {
  const { create, read, remove } = bindings
  if (!create) return []
  const onItem = (one: ResourceBinding | undefined): ResourceBinding | undefined =>
    one && isItemOf(create.operation, one.operation) ? one : undefined
  const [reads, removes] = [onItem(read), onItem(remove)]
  const onRecords = actions.filter((action) => isOnRecord(action, create))
  const unclear = onRecords.filter((one) => !one.operation.body && effectsOf(one).length === 0)

  return [
    ...onRecords.map((action) => actionProbe(create, reads, action)),
    ...(reads && removes && documentedResponse(reads.operation, 404)
      ? unclear.map((action) => restorationProbe(create, reads, removes, action))
      : []),
  ]
}

/** The values that an action sets. */
function effectsOf({ hints: { set = {} } }: ResourceBinding): readonly [string, unknown][] {
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
    if (!isSuccess(done) || done.status === 202) return REFUSED
    return passIf(isSuccess(found), found, 'the record, after the action has succeeded')
  })
  return storyOf(ORDER.remove + 0.7, steps, [check])
}

const REFUSED: LeftOut = { leftOut: 'the action is refused on a removed record' }

/** Whether the path of an action is that of one record with a word after it. */
function isOnRecord({ operation }: ResourceBinding, create: ResourceBinding): boolean {
  const collection = segmentsOf(create.operation.path)
  const path = segmentsOf(operation.path)
  return (
    recordTemplate(operation).length === collection.length + 1 &&
    path.length === collection.length + 2 &&
    collection.every((word, at) => word === path[at])
  )
}

/** Whether an action sets values from which it is not allowed. */
function isOnce({ hints: { set = {}, from = {} } }: ResourceBinding): boolean {
  return Object.entries(from).some(
    ([name, allowed]) => isPlain(set[name]) && ![allowed].flat().includes(set[name]),
  )
}

function actionProbe(
  create: ResourceBinding,
  read: ResourceBinding | undefined,
  action: ResourceBinding,
): Probe {
  const { operation } = action
  const values = effectsOf(action)
  const before = otherChoices(create, Object.fromEntries(values))
  const steps: Step[] = [
    creation(create, (one) => withValues(one, create, before)),
    onAction(action, create),
  ]
  const checks: CheckDefinition[] = [
    operationCheck(operation, 'done', 'acts on a created record', ([, done]) => {
      if (!done) return NOT_REACHED
      // The document does not say on which records an action of unknown effect is possible.
      const isOfOtherState = values.length === 0 && isRefusedByState(operation, done)
      return isOfOtherState ? OTHER_STATE : hasSuccessStatus(operation, done)
    }),
  ]
  const next = (step: Step): number => steps.push(step) - 1
  if (read && values.length > 0) {
    const at = next(onCreated(read, create, 0))
    checks.push(shownCheck(action, read, at))
    const name = 'changes the record'
    checks.push(
      operationCheck(operation, 'effect', name, (all) => {
        const [created, done] = all
        const found = all[at]
        // An accepted action may be done later.
        const isDone = done && isSuccess(done) && done.status !== 202
        if (!created || !isDone || !found || !isSuccess(found)) return NOT_REACHED
        const [before, after] = [recordIn(created, create), recordIn(found, read)]
        if (!isObject(after)) return NOT_REACHED
        const isSet = values.every(([key, value]) => after[key] === value)
        const hasChanged = JSON.stringify(before) !== JSON.stringify(after)
        const expected = values.map(([key, value]) => `"${key}": ${JSON.stringify(value)}`)
        return passIf(isSet || hasChanged, found, expected.join(', '))
      }),
    )
  }
  if (documentedResponse(operation, 409) && isOnce(action)) {
    const at = next(onAction(action, create))
    checks.push(
      operationCheck(operation, 'twice', 'refuses the same action twice with a 409', (all) => {
        const [, done] = all
        const second = all[at]
        if (!done || !second || !isSuccess(done)) return NOT_REACHED
        return passIf(second.status === 409, second, '409')
      }),
    )
  }
  return storyOf(ORDER.change + 0.7, steps, checks)
}

/** The response to an action shows what the action sets as a read shows it afterwards, whose response is at a place. */
function shownCheck(action: ResourceBinding, read: ResourceBinding, at: number): CheckDefinition {
  const name = 'returns the record as it is afterwards'
  return operationCheck(action.operation, 'shown', name, (all) => {
    const [, done] = all
    const found = all[at]
    const isDone = done && isSuccess(done) && done.status !== 202
    if (!isDone || !found || !isSuccess(found)) return NOT_REACHED
    const [shown, after] = [recordIn(done, action), recordIn(found, read)]
    if (!isObject(shown) || !isObject(after)) return NOT_REACHED
    const [stale] =
      effectsOf(action).find(
        ([key]) => isPlain(shown[key]) && isPlain(after[key]) && shown[key] !== after[key],
      ) ?? []
    const value = stale !== undefined && JSON.stringify(after[stale])
    return passIf(stale === undefined, done, `"${stale}": ${value}, as it is read then`)
  })
}

/** Values of enums in a new record that are not yet those that an action sets. */
function otherChoices(create: ResourceBinding, set: GivenValues): GivenValues {
  const choices = choicesFor(create, set)
  return Object.fromEntries(Object.entries(choices).filter(([name]) => Object.hasOwn(set, name)))
}

/** Whether a hint is a value, and no placeholder. */
function isPlain(value: unknown): boolean {
  return (
    typeof value === 'boolean' ||
    typeof value === 'number' ||
    (typeof value === 'string' && !value.includes('{'))
  )
}

function onAction(action: ResourceBinding, create: ResourceBinding): Step {
  const word = segmentsOf(action.operation.path).at(-1) ?? ''
  return onCreated(action, create, 0, (request) => {
    const [path = '', query] = request.target.split('?')
    const end = action.operation.path.endsWith('/') ? '/' : ''
    const target = `${path.replace(/\/$/, '')}/${word}${end}`
    return { ...request, target: query === undefined ? target : `${target}?${query}` }
  })
}
