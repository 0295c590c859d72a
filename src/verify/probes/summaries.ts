import type { Contract, Operation, Schema } from '../../contract/contract.ts'
import { chooseResponse } from '../../contract/documented-response.ts'
import { propertiesOf, schemaAt } from '../../contract/schema.ts'
import type { DocumentTexts } from '../../document/document-texts.ts'
import type { ResourceBinding } from '../../resources/bind.ts'
import { isObject } from '../../validation/objects.ts'
import { type CheckDefinition, operationCheck, passIf } from '../checks/check.ts'
import { isGone, isSuccess, isUnauthorized, type ProbeResponse } from '../messages.ts'
import { isOnItem, recordIn, valueAt, valuesIn } from '../record-address.ts'
import type { BoundResource } from '../resource-operations.ts'
import { validRequest } from '../session/valid-request.ts'
import { typeOf } from '../test-data/values.ts'
import { childStep, parentCreation, removalOf, saysToRemove } from './parents.ts'
import { ORDER, type Probe } from './probe.ts'
import { type StatedNumber, statedNumber } from './stated-numbers.ts'
import { creation, NOT_REACHED, onCreated, type Step, storyOf } from './steps.ts'
import { needsNoInput } from './valid-requests.ts'

/** What a summary counts of a collection, and how a record of it comes and goes. */
interface Summary {
  readonly operation: Operation
  readonly place: string
  readonly numbers: readonly StatedNumber[]
  readonly create: ResourceBinding
  readonly remove: ResourceBinding | undefined
}

/** What says that a summary is one of the records of who asks for it. */
const OF_CALLER = /\b(caller|callers|your?|own|account|signed[- ]in)\b/i

/**
 * Summaries that count the records of collections, as in "Number of all the visits": one more after a creation, one less after its removal, and
 * none for another key that does not read the record.
 */
export function summaryProbes(
  groups: readonly BoundResource[],
  contract: Contract,
  texts: DocumentTexts,
  hasOtherKey: boolean,
): Probe[] {
  return contract.operations.filter(needsNoInput).flatMap((operation) => {
    const { schema = {} } = chooseResponse(operation).documented ?? {}
    return ['', '/data'].flatMap((place) => {
      const names = numbersIn(schema, place)
      return groups.flatMap(({ bindings, ...group }) => {
        const { create, list } = bindings
        if (create?.operation.method !== 'POST' || !list || list.operation === operation) return []
        const counted = { children: { bindings, ...group }, list, create }
        const numbers = names.flatMap((name) => {
          const text = texts.property(operation.id, name)
          const stated =
            statedNumber(name, text, counted) ??
            statedNumber(name, `The number of ${text === '' ? name : text}`, counted)
          return stated && !stated.summed && stated.base === undefined ? [stated] : []
        })
        const [read, remove] = [bindings.read, bindings.remove].map((one) =>
          one && isOnItem(create, one) ? one : undefined,
        )
        const summary = { operation, place, numbers, create, remove }
        if (numbers.length === 0) return []
        const own = numbers.filter(({ name }) =>
          OF_CALLER.test(`${texts.property(operation.id, name)} ${texts.operation(operation.id)}`),
        )
        const isAsked = hasOtherKey && read !== undefined && own.length > 0
        const ofOthers = isAsked ? [otherKeyProbe({ ...summary, numbers: own }, read)] : []
        return [countedProbe(summary), ...withParentProbe(summary, contract, texts), ...ofOthers]
      })
    })
  })
}

function numbersIn(schema: Schema, place: string): readonly string[] {
  return [...propertiesOf(schemaAt(schema, place) ?? {})].flatMap(([name, one]) =>
    typeOf(one) === 'integer' ? [name] : [],
  )
}

/** A request for a summary, with the key of the run or another one. */
function reading({ operation }: Summary, credentials: 'key' | 'other-key' = 'key'): Step {
  return async (session) => ({
    ...(await validRequest(operation, session)),
    ...{ credentials, isValid: true },
  })
}

function countedProbe(summary: Summary): Probe {
  const { operation, create, remove, numbers } = summary
  const steps = [reading(summary), creation(create), reading(summary)]
  const removal = remove ? [onCreated(remove, create, 1), reading(summary)] : []
  const checks = numbers.flatMap((one) => [
    operationCheck(
      operation,
      `${one.name}/counted`,
      `counts a new record in ${one.name}`,
      ([before, created, after]) => {
        const [first, last] = [before, after].map((each) => numberIn(each, one.name, summary))
        if (first === undefined || last === undefined || !after) return NOT_REACHED
        if (!isCounted(created, one, create)) return NOT_REACHED
        const expected = `"${one.name}": ${first + 1}`
        return passIf(last > first, after, expected, `"${one.name}": ${last}`)
      },
    ),
    ...(remove ? [removedCheck(one, summary, remove)] : []),
  ])
  return storyOf(ORDER.change + 0.92, [...steps, ...removal], checks)
}

function removedCheck(
  one: StatedNumber,
  summary: Summary,
  remove: ResourceBinding,
): CheckDefinition {
  const text = `counts the removal by ${remove.operation.id} in ${one.name}`
  return operationCheck(summary.operation, `${one.name}/removed`, text, (all) => {
    const [, created, before, removed, after] = all
    const [first, last] = [before, after].map((each) => numberIn(each, one.name, summary))
    if (!removed || !isSuccess(removed) || removed.status === 202 || !after) return NOT_REACHED
    if (first === undefined || last === undefined) return NOT_REACHED
    if (!isCounted(created, one, summary.create)) return NOT_REACHED
    return passIf(last < first, after, `"${one.name}": ${first - 1}`, `"${one.name}": ${last}`)
  })
}

/** What is removed with the record above it is not counted any more. */
function withParentProbe(summary: Summary, contract: Contract, texts: DocumentTexts): Probe[] {
  const { operation, create, numbers } = summary
  const parent = parentCreation(create, contract)
  const removal = parent && removalOf(parent, contract)
  if (!removal || !saysToRemove(texts.operation(removal.operation.id), create)) return []
  const checks = numbers.map((one) => {
    const text = `counts nothing that ${removal.operation.id} has removed, too, in ${one.name}`
    const id = `${one.name}/${removal.operation.id}`
    return operationCheck(operation, id, text, ([, created, before, removed, after]) => {
      const [first, last] = [before, after].map((each) => numberIn(each, one.name, summary))
      if (!removed || !isSuccess(removed) || removed.status === 202 || !after) return NOT_REACHED
      const isKnown = first !== undefined && last !== undefined
      if (!isKnown || !isCounted(created, one, create)) return NOT_REACHED
      return passIf(last < first, after, `"${one.name}": ${first - 1}`, `"${one.name}": ${last}`)
    })
  })
  const steps = [
    ...[creation(parent), childStep(create, parent), reading(summary)],
    ...[onCreated(removal, parent, 0), reading(summary)],
  ]
  return [storyOf(ORDER.remove + 0.76, steps, checks)]
}

/** What is kept from another key is not counted for it. */
function otherKeyProbe(summary: Summary, read: ResourceBinding): Probe {
  const { operation, create, numbers } = summary
  const asOther = onCreated(read, create, 1, (one) => ({ ...one, credentials: 'other-key' }))
  const text = 'counts no record that another key does not read'
  const check = operationCheck(
    operation,
    'other-key-counted',
    text,
    ([before, created, after, found]) => {
      const isKept = found !== undefined && (isGone(found) || isUnauthorized(found))
      if (!created || !isSuccess(created) || !after || !isKept) return NOT_REACHED
      const wrong = numbers.find(({ name }) => {
        const [first, last] = [before, after].map((each) => numberIn(each, name, summary))
        return first !== undefined && last !== undefined && last > first
      })
      return passIf(wrong === undefined, after, `"${wrong?.name}" as before`)
    },
    { clause: 'OWASP API Security 2023, API1' },
  )
  const steps = [
    reading(summary, 'other-key'),
    creation(create),
    reading(summary, 'other-key'),
    asOther,
  ]
  return storyOf(ORDER.otherKey + 0.3, steps, [check])
}

/** Whether a new record is one of those that a number counts. */
function isCounted(
  created: ProbeResponse | undefined,
  { only }: StatedNumber,
  create: ResourceBinding,
): boolean {
  if (!created || !isSuccess(created) || created.status === 202) return false
  const record = valuesIn(recordIn(created, create))
  return !only || (isObject(record) && only.values.includes(record[only.property]))
}

function numberIn(
  response: ProbeResponse | undefined,
  name: string,
  { place }: Summary,
): number | undefined {
  const found = response && isSuccess(response) ? valueAt(response.json, place) : undefined
  const value = isObject(found) ? found[name] : undefined
  return typeof value === 'number' ? value : undefined
}
