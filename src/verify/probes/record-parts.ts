import type { Contract, Operation, Schema } from '../../contract/contract.ts'
import { encodeLiteral } from '../../contract/path-pattern.ts'
import { propertiesOf } from '../../contract/schema.ts'
import type { ResourceBinding } from '../../resources/bind.ts'
import { isObject } from '../../validation/objects.ts'
import { type CheckDefinition, hasSuccessStatus, operationCheck, passIf } from '../checks/check.ts'
import { confirmed, sentRecord, shows } from '../checks/shown-values.ts'
import { isSuccess, type ProbeRequest, type ProbeResponse } from '../messages.ts'
import {
  isSameTemplate,
  type RecordPath,
  recordIn,
  recordTemplate,
  segmentsOf,
  valuesIn,
  withPath,
} from '../record-address.ts'
import type { BoundResource } from '../resource-operations.ts'
import { plainCreations } from '../session/own-records.ts'
import type { Session } from '../session/session.ts'
import { createAt, validRequest } from '../session/valid-request.ts'
import { fullValues, oneValueOf, withValues } from '../test-data/full-body.ts'
import { typeOf } from '../test-data/values.ts'
import { ORDER, type Probe } from './probe.ts'
import { NOT_REACHED } from './steps.ts'

/** What each record has once, such as `/devices/{device}/settings`: a change is kept, and is one of this record only. */
export function recordPartProbes(
  { resource, bindings }: BoundResource,
  contract: Contract,
): Probe[] {
  const { read } = bindings
  if (!read || !resource.isSingle) return []
  const template = recordTemplate(read.operation)
  const changes = [bindings.replace, bindings.update].flatMap((one) =>
    one?.operation.body && one.operation.path === read.operation.path ? [one] : [],
  )
  if (template.length === 0) return changes.map((change) => settingProbe(read, change))
  if (!plainCreations(contract).at(template, read.operation)) return []
  return changes.map((change) => partProbe(read, change, template))
}

/** What exists once, such as settings: a change is kept. The session allows it only where it can write back what was before. */
function settingProbe(read: ResourceBinding, change: ResourceBinding): Probe {
  const { operation } = change
  const checks = [
    operationCheck(
      read.operation,
      `after/${operation.id}`,
      `returns the values that ${operation.id} changed`,
      ([before, changed, found]) =>
        before && changed && found && isSuccess(changed) && isSuccess(found)
          ? shows(found, read, confirmed(changed, change), 'as it was sent')
          : NOT_REACHED,
    ),
    operationCheck(operation, 'unnamed', 'keeps what a request does not name', (responses) => {
      const [, , before, changed, after] = responses
      if (!before || !changed || !after || ![before, changed, after].every(isSuccess))
        return NOT_REACHED
      const [sent, old] = [sentRecord(changed, change), valuesIn(recordIn(before, read))]
      const kept = Object.entries(isObject(old) ? old : {}).filter(
        ([name, value]) => isObject(sent) && !(name in sent) && typeof value !== 'object',
      )
      return shows(after, read, kept, 'which the request did not name')
    }),
  ]
  return {
    order: ORDER.change + 0.75,
    maxRequests: 5,
    requires: 'writes',
    checks,
    send: async (session) => {
      const valid = async (one: ResourceBinding): Promise<ProbeRequest> => {
        return { ...(await validRequest(one.operation, session)), isValid: true }
      }
      const all = await valid(change)
      const before = await session.send(await valid(read))
      const changed = await session.send(all)
      const found = await session.send(await valid(read))
      const isPart = change.action === 'update' && operation.method !== 'PUT'
      if (!isPart || !isSuccess(changed)) return [before, changed, found]
      const one = oneValueOf(all, change)
      return [
        before,
        changed,
        found,
        await session.send(one),
        await session.send(await valid(read)),
      ]
    },
  }
}

function partProbe(
  read: ResourceBinding,
  change: ResourceBinding,
  template: readonly string[],
): Probe {
  const { operation } = change
  const checks = [
    operationCheck(operation, 'part', 'changes what a record has once', ([, changed]) =>
      changed ? hasSuccessStatus(operation, changed) : NOT_REACHED,
    ),
    operationCheck(
      read.operation,
      `after/${operation.id}`,
      `returns the values that ${operation.id} changed`,
      ([, changed, found]) =>
        changed && found && isSuccess(changed) && isSuccess(found)
          ? shows(found, read, confirmed(changed, change), 'as it was sent')
          : NOT_REACHED,
    ),
    operationCheck(operation, 'others', 'changes nothing of another record', (all) => {
      const [before, changed, , after] = all
      if (!before || !changed || !after || ![before, changed, after].every(isSuccess))
        return NOT_REACHED
      return passIf(before.text === after.text, after, 'the same as before')
    }),
    ...revisionChecks(read, change),
  ]
  return {
    order: ORDER.change + 0.75,
    maxRequests: 7,
    creations: 2,
    requires: 'writes',
    checks,
    send: async (session) => {
      const paths: RecordPath[] = []
      for (let at = 0; at < 2; at += 1) paths.push(await createAt(template, operation, session))
      const [own = [], other = []] = paths
      const send = async (on: RecordPath, binding: ResourceBinding): Promise<ProbeResponse> => {
        const request = await requestOn(on, binding.operation, session)
        const isChange = binding === change
        return await session.send(
          isChange ? withValues(request, change, fullValues(change)) : request,
        )
      }
      const first = await send(own, read)
      const before = await send(other, read)
      const changed = await send(own, change)
      const found = await send(own, read)
      return [before, changed, found, await send(other, read), first]
    },
  }
}

/** Removing what a record has once changes the record, or what a request reads at the path: it was set before. */
export function partRemovalProbes(contract: Contract): Probe[] {
  return contract.operations.flatMap((remove) => {
    const template = recordTemplate(remove)
    const isPart = segmentsOf(remove.path).length === template.length + 1
    if (remove.method !== 'DELETE' || template.length === 0 || !isPart) return []
    const set = contract.operations.find(
      ({ method, path }) => method === 'PUT' && path === remove.path,
    )
    const reads = contract.operations.filter(
      ({ method, path }) =>
        method === 'GET' && (path === remove.path || isSameTemplate(segmentsOf(path), template)),
    )
    const read = reads.find(({ path }) => path === remove.path) ?? reads[0]
    if (!set || !read || !plainCreations(contract).at(template, remove)) return []
    return partRemovalProbe({ set, remove, read }, template)
  })
}

function partRemovalProbe(
  { set, remove, read }: Readonly<Record<'set' | 'remove' | 'read', Operation>>,
  template: readonly string[],
): Probe {
  const name = `undoes what ${set.id} did`
  const check = operationCheck(remove, 'undone', name, ([done, before, removed, after]) => {
    if (!done || !before || !removed || !after) return NOT_REACHED
    if (![done, before, removed].every(isSuccess) || removed.status === 202) return NOT_REACHED
    return passIf(before.text !== after.text, after, 'another response than before')
  })
  return {
    order: ORDER.remove + 0.6,
    maxRequests: 4,
    creations: 1,
    requires: 'writes',
    checks: [check],
    send: async (session) => {
      const record = await createAt(template, remove, session)
      const responses: ProbeResponse[] = []
      for (const operation of [set, read, remove, read])
        responses.push(await session.send(await requestOn(record, operation, session)))
      return responses
    },
  }
}

/** Names of the numbers of versions, which each change moves. */
export const REVISION: RegExp = /^(rev(ision)?|lock_?version|version(_?number)?)$/i

/** Whether a property is the number of the version, which only the service sets. */
export function isRevision(name: string, property: Schema): boolean {
  return REVISION.test(name) && property.readOnly === true && typeOf(property) === 'integer'
}

/** A change moves the number of the version, where only the service sets it. */
function revisionChecks(read: ResourceBinding, change: ResourceBinding): CheckDefinition[] {
  const [name] =
    [...propertiesOf(read.resource.schema)].find(([one, property]) => isRevision(one, property)) ??
    []
  if (name === undefined) return []
  const text = `moves ${name}, the number of the version`
  return [
    operationCheck(change.operation, name, text, ([, changed, found, , first]) => {
      if (!changed || !found || !first || ![changed, found, first].every(isSuccess))
        return NOT_REACHED
      const [before, after] = [first, found].map((one) => valuesIn(recordIn(one, read)))
      if (!isObject(before) || !isObject(after)) return NOT_REACHED
      return passIf(before[name] !== after[name], found, `another ${name} than ${before[name]}`)
    }),
  ]
}

/** A valid request on what is below a record, or on the record. */
export async function requestOn(
  record: RecordPath,
  operation: Operation,
  session: Session,
): Promise<ProbeRequest> {
  const request = await validRequest(operation, session)
  const rest = segmentsOf(operation.path).slice(record.length - 1)
  const path = [...record.slice(1), ...rest.map(encodeLiteral)].join('/')
  return { ...request, target: withPath(request.target, `/${path}`), isValid: true }
}
