import { isSameRecord, propertiesOf } from '../../contract/schema.ts'
import type { ResourceBinding } from '../../resources/bind.ts'
import { isObject, once } from '../../validation/objects.ts'
import { isSafeMethod, isSuccess, type ProbeResponse } from '../messages.ts'
import { idIn, isOnItem, itemTarget, pathOf, recordIn, valuesIn } from '../record-address.ts'
import type { BoundResource } from '../resource-operations.ts'
import { membersOf } from '../session/stated-rules.ts'
import {
  type CheckDefinition,
  type Evaluation,
  failure,
  NO_MATCH,
  operationCheck,
} from './check.ts'
import { isSameMoment, isScalar, schemaIn, VOLATILE } from './shown-values.ts'

/**
 * What the response to a creation, a change or an action shows is what the next request reads, as long as nothing has changed meanwhile; where the
 * document describes both with the same properties. Evaluates all responses of a run.
 */
export function writtenRecordChecks({ bindings, actions }: BoundResource): CheckDefinition[] {
  const { create, read, update, replace } = bindings
  if (!create || !read || !isOnItem(create, read)) return []
  const writes = new Set([create, update, replace, ...actions].flatMap((one) => one ?? []))
  return [...writes].map((write) => {
    const name = 'returns the record as the next request reads it'
    return operationCheck(write.operation, 'read', name, (all) => {
      const evaluations = readsAfter(all).flatMap(([written, found]) =>
        written.request.operation === write.operation && found.request.operation === read.operation
          ? [agreement(written, found, write, read)]
          : [],
      )
      const failed = evaluations.find((one) => typeof one === 'object' && 'expected' in one)
      return failed ?? (evaluations.includes('passed') ? 'passed' : NO_MATCH)
    })
  })
}

type WrittenAndRead = readonly [written: ProbeResponse, found: ProbeResponse]

/** Each successful change, and each read that follows it before anything else is changed. */
const readsAfter = once((all: readonly ProbeResponse[]): readonly WrittenAndRead[] => {
  let written: ProbeResponse | undefined
  const found: WrittenAndRead[] = []
  for (const one of all) {
    const { method, credentials } = one.request
    if (isSafeMethod(method)) {
      if (written && credentials === 'key' && isSuccess(one)) found.push([written, one])
    } else if (one.status < 400 || one.status >= 500) {
      written = isSuccess(one) && one.status !== ACCEPTED ? one : undefined
    }
  }
  return found
})

/** What is accepted may be done later. */
const ACCEPTED = 202

function agreement(
  written: ProbeResponse,
  found: ProbeResponse,
  write: ResourceBinding,
  read: ResourceBinding,
): Evaluation {
  const [sent, shown] = [recordIn(written, write), recordIn(found, read)].map(valuesIn)
  const [one, other] = [
    schemaIn(written, write.hints.record ?? ''),
    schemaIn(found, read.hints.record ?? ''),
  ]
  const id = idIn(recordIn(written, write), write)
  const isSame =
    id !== undefined && pathOf(found.request.target) === pathTo(written, write, read, id)
  if (!isSame || !isObject(sent) || !isObject(shown)) return NO_MATCH
  if (!one || !other || !isSameRecord(one, other)) return NO_MATCH
  const [name] =
    [...propertiesOf(other)].find(([key, property]) => {
      const [before, after] = [sent[key], shown[key]]
      // A service may go on with what it has begun.
      const isMoving = VOLATILE.test(key) || membersOf(key, property).length > 0
      return !isMoving && isScalar(before) && isScalar(after) && !isAlike(before, after)
    }) ?? []
  if (name === undefined) return 'passed'
  const [before, after] = [sent[name], shown[name]].map((value) => JSON.stringify(value))
  return failure(written, `"${name}": ${after}, as it is read then`, `"${name}": ${before}`)
}

function pathTo(
  written: ProbeResponse,
  write: ResourceBinding,
  { operation }: ResourceBinding,
  id: string,
): string {
  if (write.action === 'create') return pathOf(itemTarget(written, operation, id))
  const path = pathOf(written.request.target).replace(/\/$/, '')
  return write.action === 'act' ? path.slice(0, path.lastIndexOf('/')) : path
}

/** Whether two values are the same. What has none yet may get one by itself. */
function isAlike(before: unknown, after: unknown): boolean {
  return before === after || before === null || isSameMoment(before, after)
}
