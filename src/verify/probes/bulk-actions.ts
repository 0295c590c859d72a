import type { Contract, Operation } from '../../contract/contract.ts'
import type { JsonObject } from '../../document/json-value.ts'
import type { ResourceBinding } from '../../resources/bind.ts'
import { asType } from '../../responses/documented-value.ts'
import { isObject } from '../../validation/objects.ts'
import {
  type CheckDefinition,
  failure,
  hasSuccessStatus,
  operationCheck,
  passIf,
} from '../checks/check.ts'
import { isSuccess, NotSent, type ProbeRequest, type ProbeResponse } from '../messages.ts'
import { isOnItem, recordIn, valueAt, valuesIn } from '../record-address.ts'
import type { BoundResource } from '../resource-operations.ts'
import { type BulkAction, bulkActionsOn } from '../session/bulk-targets.ts'
import { ORDER, type Probe } from './probe.ts'
import { idOfCreated, NOT_REACHED, onCreated, type Step, storyOf, twoRecords } from './steps.ts'

/** Actions on several records by their ids in the body, such as `POST /alarms/bulk/close`: they act on each, and on no other. */
export function bulkActionProbes(group: BoundResource, contract: Contract): Probe[] {
  const { create, read, remove } = group.bindings
  if (!create || !read || !isOnItem(create, read)) return []
  return bulkActionsOn(contract, create.operation).flatMap((bulk) => {
    const single = group.actions.find(({ operation }) => operation === bulk.single)
    const isRemoval = remove?.operation === bulk.single
    return single || isRemoval ? [bulkProbe(create, read, bulk, single)] : []
  })
}

/** The places of the responses. */
const [FIRST, SECOND, OTHER, DONE, ONE, TWO, THREE] = [0, 1, 2, 3, 4, 5, 6]

function bulkProbe(
  create: ResourceBinding,
  read: ResourceBinding,
  bulk: BulkAction,
  single: ResourceBinding | undefined,
): Probe {
  const { operation } = bulk
  const [one, two] = twoRecords(create)
  const step: Step = async (_session, before) => {
    const ids = [SECOND, FIRST].map((at) => before[at] && idOfCreated(before[at], create))
    if (ids.some((id) => id === undefined)) return undefined
    const request = bulkRequest(bulk, ids.map(String))
    if (!request) throw new NotSent('its body needs more than ids')
    return request
  }
  const steps: Step[] = [
    one,
    two,
    twoRecords(create)[1],
    step,
    ...[FIRST, SECOND, OTHER].map((at) => onCreated(read, create, at)),
  ]
  return storyOf(ORDER.change + 0.9, steps, bulkChecks(create, read, operation, single))
}

/** A request with ids, and nothing else. */
function bulkRequest(
  { operation, name, items }: BulkAction,
  ids: readonly string[],
): ProbeRequest | undefined {
  const body = { [name]: ids.map((id) => asType(id, items)) }
  if (!operation.body?.validate(body)) return undefined
  const { method, path } = operation
  const [type = 'application/json'] = operation.body.mediaTypes
  return {
    operation,
    method,
    target: path,
    credentials: 'key',
    body: JSON.stringify(body),
    type,
    isValid: true,
  }
}

function bulkChecks(
  create: ResourceBinding,
  read: ResourceBinding,
  operation: Operation,
  single: ResourceBinding | undefined,
): CheckDefinition[] {
  const set = Object.entries(single?.hints.set ?? {}).filter(
    ([, value]) => typeof value === 'string' && !value.includes('{'),
  )
  const isActedOn = (found: ProbeResponse): boolean => {
    if (!single) return !isSuccess(found)
    const values = valuesIn(recordIn(found, read))
    return isObject(values) && set.every(([name, value]) => values[name] === value)
  }
  const expected = single ? set.map(([name, value]) => `"${name}": "${value}"`).join(', ') : '404'
  const hasEffect = !single || set.length > 0
  return [
    operationCheck(operation, 'done', 'acts on several records', (all) => {
      const done = all[DONE]
      return done ? hasSuccessStatus(operation, done) : NOT_REACHED
    }),
    ...(hasEffect
      ? [
          operationCheck(operation, 'effect', 'acts on each record whose id it gets', (all) => {
            const done = all[DONE]
            const found = [all[ONE], all[TWO]].flatMap((one) => one ?? [])
            if (!done || !isSuccess(done) || done.status === 202 || found.length < 2)
              return NOT_REACHED
            const wrong = found.find((one) => !isActedOn(one))
            return wrong ? failure(wrong, expected) : 'passed'
          }),
          operationCheck(operation, 'others', 'acts on no other record', (all) => {
            const [created, done, found] = [all[OTHER], all[DONE], all[THREE]]
            if (!created || !done || !found || !isSuccess(done)) return NOT_REACHED
            return passIf(!isActedOn(found), found, 'the record as it was created')
          }),
        ]
      : []),
    operationCheck(
      operation,
      'results',
      'returns a result for each id, if it returns any',
      (all) => {
        const done = all[DONE]
        const ids = [all[FIRST], all[SECOND]].map((one) => one && idOfCreated(one, create))
        const results = done && isSuccess(done) ? resultsIn(done.json) : undefined
        if (!done || !results || results.length === 0) return { leftOut: 'it returns no results' }
        const shown = results.flatMap((one) => Object.values(one).map(String))
        const missing = ids.find((id) => id !== undefined && !shown.includes(id))
        // Results may be those that failed, or the records in another form.
        const isKnown = ids.some((id) => id !== undefined && shown.includes(id))
        return isKnown
          ? passIf(missing === undefined, done, `a result for ${missing}`)
          : NOT_REACHED
      },
    ),
  ]
}

/** The first list of objects in a response. */
function resultsIn(json: unknown): readonly JsonObject[] | undefined {
  const lists = [
    json,
    ...(isObject(json) ? Object.keys(json).map((name) => valueAt(json, `/${name}`)) : []),
  ]
  const list = lists.find((one) => Array.isArray(one) && one.every(isObject))
  return Array.isArray(list) ? list.filter(isObject) : undefined
}
