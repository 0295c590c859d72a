import { documentedResponse } from '../../contract/documented-response.ts'
import type { ResourceBinding } from '../../resources/bind.ts'
import { isObject } from '../../validation/objects.ts'
import { type CheckDefinition, hasSuccessStatus, operationCheck, passIf } from '../checks/check.ts'
import type { BoundResource } from '../resource-operations.ts'
import { isSuccess } from '../session/messages.ts'
import { isItemOf, recordIn, recordTemplate, segmentsOf } from '../session/record-address.ts'
import { choicesFor, type GivenValues, withValues } from '../test-data/full-body.ts'
import { ORDER, type Probe } from './probe.ts'
import { creation, NOT_REACHED, onCreated, type Step, storyOf } from './steps.ts'

/** Actions on a record of the run: they change it as the document says, and once only where it says that. */
export function actionProbes({ bindings: { create, read }, actions }: BoundResource): Probe[] {
  if (!create) return []
  const reads = read && isItemOf(create.operation, read.operation) ? read : undefined
  return actions
    .filter((action) => isOnRecord(action, create))
    .map((action) => actionProbe(create, reads, action))
}

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
  const { operation, hints } = action
  const values = Object.entries(hints.set ?? {}).filter(([, value]) => isPlain(value))
  const before = otherChoices(create, Object.fromEntries(values))
  const steps: Step[] = [
    creation(create, (one) => withValues(one, create, before)),
    onAction(action, create),
  ]
  const checks: CheckDefinition[] = [
    operationCheck(operation, 'done', 'acts on a created record', ([, done]) =>
      done ? hasSuccessStatus(operation, done) : NOT_REACHED,
    ),
  ]
  const next = (step: Step): number => steps.push(step) - 1
  if (read && values.length > 0) {
    const at = next(onCreated(read, create, 0))
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
