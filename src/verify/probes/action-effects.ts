import { propertiesOf } from '../../contract/schema.ts'
import type { DocumentTexts } from '../../document/document-texts.ts'
import type { ResourceBinding } from '../../resources/bind.ts'
import { isObject } from '../../validation/objects.ts'
import { operationCheck, passIf } from '../checks/check.ts'
import { isSuccess } from '../messages.ts'
import { isOnItem, plainName, recordIn, valuesIn } from '../record-address.ts'
import type { BoundResource } from '../resource-operations.ts'
import { presetsOf, requiredOnly } from '../test-data/full-body.ts'
import { keyword } from '../test-data/values.ts'
import { ACCEPTED, effectsOf, isOnRecord, isPlain, onAction, stepsToState } from './actions.ts'
import { ORDER, type Probe } from './probe.ts'
import { creation, NOT_REACHED, onCreated, type Step, storyOf } from './steps.ts'

/** An action, and how its records are created and read. */
interface ReadAction {
  readonly create: ResourceBinding
  readonly read: ResourceBinding
  readonly action: ResourceBinding
}

/** What actions leave as it is, and what they set without being told: they change no other record, and know their defaults. */
export function actionEffectProbes(
  { bindings: { create, read }, actions }: BoundResource,
  texts: DocumentTexts,
): Probe[] {
  if (!create || !read || !isOnItem(create, read)) return []
  const onRecords = actions.filter((action) => isOnRecord(action, create))
  return onRecords.flatMap((action) => [
    ...aloneProbe({ create, read, action }, onRecords, texts),
    ...defaultProbe({ create, read, action }, onRecords),
  ])
}

/** What a request for an action lacks has its default in the record, also where this calls it `paymentMethod` and not `method`. */
function defaultProbe(
  { create, action, read }: ReadAction,
  all: readonly ResourceBinding[],
): Probe[] {
  const shown = [...propertiesOf(read.resource.schema)]
  const kept = presetsOf(action).flatMap(([name, preset]) => {
    const called = shown.filter(
      ([one, schema]) =>
        plainName(one).endsWith(plainName(name)) && keyword(schema, 'enum')?.includes(preset),
    )
    return called.length === 1 ? called.map(([one]) => [one, preset] as const) : []
  })
  if (kept.length === 0) return []
  const text = 'keeps the defaults of what a request lacks'
  const check = operationCheck(action.operation, 'defaults', text, (responses) => {
    const [done, found] = responses.slice(-2)
    const record = found && isSuccess(found) ? valuesIn(recordIn(found, read)) : undefined
    if (done?.request.operation !== action.operation || !isSuccess(done)) return NOT_REACHED
    if (!found || !isObject(record) || done.status === ACCEPTED) return NOT_REACHED
    const [name, preset] = kept.find(([one, value]) => record[one] !== value) ?? []
    return passIf(name === undefined, found, `"${name}": ${JSON.stringify(preset)}, the default`)
  })
  const acted = onAction(action, create)
  const steps: Step[] = [
    creation(create),
    ...stepsToState(create, action, all),
    async (session, before) => {
      const request = await acted(session, before)
      return request && { ...requiredOnly(request, action), keepsRefusal: true }
    },
    onCreated(read, create, 0),
  ]
  return [storyOf(ORDER.change + 0.72, steps, [check])]
}

/** Words by which an action may be one on other records, too. */
const ON_OTHERS = /\b(all|every|each|others?|also|together|whole|following|remaining|same)\b/i

/** Whether a description says that an operation changes other records, too. */
export function saysOfOthers(text: string): boolean {
  return ON_OTHERS.test(text.replace(/\b(no|nothing|not|than) (any )?(other|else)\b/gi, ''))
}

/** An action does not set on another record, which refers to the same ones, what it sets on its own. */
function aloneProbe(
  { create, action, read }: ReadAction,
  all: readonly ResourceBinding[],
  texts: DocumentTexts,
): Probe[] {
  const { operation } = action
  const values = effectsOf(action)
  if (values.length === 0 || saysOfOthers(texts.operation(operation.id))) return []
  const check = operationCheck(operation, 'others', 'changes no other record', (responses) => {
    const [, second] = responses
    const done = responses.find((one) => one.request.operation === operation && isSuccess(one))
    const found = responses.at(-1)
    if (!second || !done || found?.request.operation !== read.operation || !isSuccess(found))
      return NOT_REACHED
    const [before, after] = [recordIn(second, create), recordIn(found, read)].map(valuesIn)
    if (second.request.operation !== create.operation || !isObject(before) || !isObject(after))
      return NOT_REACHED
    const [name] =
      values.find(
        ([one, value]) => isPlain(before[one]) && before[one] !== value && after[one] === value,
      ) ?? []
    const kept = name !== undefined && JSON.stringify(before[name])
    return passIf(name === undefined, found, `"${name}": ${kept}, as the other record was created`)
  })
  const steps: Step[] = [
    creation(create),
    creation(create, (one) => one, 0),
    ...stepsToState(create, action, all),
    onAction(action, create),
    onCreated(read, create, 1),
  ]
  return [storyOf(ORDER.change + 0.71, steps, [check])]
}
