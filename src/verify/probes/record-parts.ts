import type { Contract, Operation } from '../../contract/contract.ts'
import { encodeLiteral } from '../../contract/path-pattern.ts'
import { propertiesOf } from '../../contract/schema.ts'
import type { ResourceBinding } from '../../resources/bind.ts'
import { isObject } from '../../validation/objects.ts'
import { type CheckDefinition, hasSuccessStatus, operationCheck, passIf } from '../checks/check.ts'
import { confirmed, shows } from '../checks/shown-values.ts'
import type { BoundResource } from '../resource-operations.ts'
import { isSuccess, type ProbeRequest, type ProbeResponse } from '../session/messages.ts'
import { PlainCreations } from '../session/own-records.ts'
import {
  type RecordPath,
  recordIn,
  recordTemplate,
  segmentsOf,
  valuesIn,
  withPath,
} from '../session/record-address.ts'
import type { Session } from '../session/session.ts'
import { createAt, validRequest } from '../session/valid-request.ts'
import { fullValues, withValues } from '../test-data/full-body.ts'
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
  if (!new PlainCreations(contract).at(template, read.operation)) return []
  return [bindings.replace, bindings.update].flatMap((change) =>
    change?.operation.body && change.operation.path === read.operation.path
      ? partProbe(read, change, template)
      : [],
  )
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

/** Names of the numbers of versions, which each change moves. */
const REVISION = /^(rev(ision)?|lock_?version|version(_?number)?)$/i

/** A change moves the number of the version, where only the service sets it. */
function revisionChecks(read: ResourceBinding, change: ResourceBinding): CheckDefinition[] {
  const [name] =
    [...propertiesOf(read.resource.schema)].find(
      ([one, property]) =>
        REVISION.test(one) && property.readOnly && typeOf(property) === 'integer',
    ) ?? []
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
