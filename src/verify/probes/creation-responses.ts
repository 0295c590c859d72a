import type { Operation, Schema } from '../../contract/contract.ts'
import { chooseResponse } from '../../contract/documented-response.ts'
import { parseJsonText } from '../../contract/json.ts'
import { parseTemplate } from '../../contract/path-pattern.ts'
import { parsePointer, propertiesOf, schemaAt } from '../../contract/schema.ts'
import { surelyMatches } from '../../generate/matches.ts'
import { withValueAt } from '../../resources/behaviour/record-body.ts'
import type { ResourceBinding } from '../../resources/bind.ts'
import { isObject } from '../../validation/objects.ts'
import {
  type CheckDefinition,
  type Evaluation,
  everyResponse,
  failure,
  operationCheck,
  passIf,
} from '../checks/check.ts'
import type { BoundResource } from '../resource-operations.ts'
import { isSuccess, type ProbeResponse } from '../session/messages.ts'
import {
  concretePath,
  idIn,
  isId,
  isItemOf,
  lastOf,
  plainName,
  recordIn,
  segmentsOf,
  valueAt,
} from '../session/record-address.ts'
import { unguessableWord } from '../session/unguessable.ts'
import { takesJson } from '../test-data/sample-body.ts'
import { keyword, typeOf } from '../test-data/values.ts'
import { ORDER, type Probe } from './probe.ts'
import { creation, NOT_REACHED, storyOf } from './steps.ts'

/** What all responses to creations say of the record: its address in `Location`, and the ids of the records above it. */
export function creationResponseChecks({
  bindings: { create, read },
}: BoundResource): CheckDefinition[] {
  if (!create) return []
  const isRead = read !== undefined && isItemOf(create.operation, read.operation)
  return [...(isRead ? [locationCheck(create)] : []), ...parentCheck(create)]
}

/** `Location` is the address of the new record (RFC 9110, section 10.2.2). */
function locationCheck(create: ResourceBinding): CheckDefinition {
  const name = 'names the created record in Location, if it has that header'
  return operationCheck(
    create.operation,
    'location',
    name,
    everyResponse(
      (response) => isCreated(response, create) && response.headers.has('Location'),
      (created) => {
        const location = created.headers.get('Location') ?? ''
        const id = idIn(recordIn(created, create), create)
        const isOther = id !== undefined && isOtherRecord(location, created.url, id)
        return passIf(!isOther, created, `an address that ends with ${id}`, `Location: ${location}`)
      },
    ),
    { clause: 'RFC 9110, section 10.2.2' },
  )
}

function isCreated({ request, status }: ProbeResponse, { operation }: ResourceBinding): boolean {
  return request.operation === operation && status === 201 && request.method === 'POST'
}

/** Whether an address is that of the collection, or of another record in it. */
function isOtherRecord(location: string, url: string, id: string): boolean {
  if (!URL.canParse(location, url)) return true
  const [named, collection] = [new URL(location, url), new URL(url)].map(({ pathname }) =>
    pathname.replace(/\/$/, ''),
  )
  if (named === undefined || collection === undefined) return false
  if (named === collection) return true
  const last = lastOf(named)
  // A record may have several names.
  const isNumber = /^\d+$/.test(id) === /^\d+$/.test(last)

  return named.slice(0, named.lastIndexOf('/')) === collection && last !== id && isNumber
}

/** A record below another one has the id of that one, where it shows a property with the name of the path parameter. */
function parentCheck(create: ResourceBinding): CheckDefinition[] {
  const { operation, resource } = create
  const shown = propertiesOf(shownSchema(create))
  const names = parseTemplate(operation.path).names.flatMap((parameter) => {
    const wanted = plainName(parameter)
    const name = [...shown.keys()].find((one) => plainName(one) === wanted)
    return name === undefined || name === resource.id ? [] : [[parameter, name] as const]
  })
  if (names.length === 0) return []
  const text = 'returns the ids of the records above'
  return [
    operationCheck(
      operation,
      'parents',
      text,
      everyResponse(
        (response) => isCreated(response, create),
        (created) => {
          const record = recordIn(created, create)
          for (const [parameter, name] of names) {
            const value = isObject(record) ? record[name] : undefined
            const sent = segmentFor(parameter, operation, created)
            const isComparable = isId(value) && /^\d+$/.test(sent) === /^\d+$/.test(String(value))
            if (isComparable && String(value) !== sent)
              return failure(created, `"${name}": ${sent}`, `"${name}": ${String(value)}`)
          }
          return 'passed'
        },
      ),
    ),
  ]
}

function segmentFor(parameter: string, operation: Operation, { request }: ProbeResponse): string {
  const at = segmentsOf(operation.path).indexOf(`{${parameter}}`)
  // The first part of a record's path is its base path.
  return lastOf(concretePath(operation, request.target)?.[at + 1] ?? '')
}

function shownSchema({ operation, hints }: ResourceBinding): Schema {
  const { schema } = chooseResponse(operation).documented ?? {}
  return (schema && schemaAt(schema, hints.record ?? '')) ?? {}
}

/** Values for what only the service sets, which the request has besides. The service may refuse it, or not use them. */
export function readOnlyProbes({ bindings: { create } }: BoundResource): Probe[] {
  if (!create?.operation.body || !takesJson(create.operation.body)) return []
  const { operation, hints } = create
  const values = readOnlyValues(create)
  if (values.length === 0) return []
  const place = parsePointer(hints.body ?? '')
  const name = `lets no client set ${values.map(([one]) => one).join(', ')}`
  const step = creation(create, (request) => {
    const body = values.reduce<unknown>(
      (before, [property, value]) => {
        const changed = withValueAt(before, [...place, property], value)
        return operation.body?.validate(changed) ? changed : before
      },
      parseJsonText(request.body ?? ''),
    )
    return { ...request, body: JSON.stringify(body) }
  })
  const check = operationCheck(operation, 'read-only', name, ([created]) =>
    created ? notTaken(created, create, values) : NOT_REACHED,
  )
  return [storyOf(ORDER.createComplete + 0.5, [step], [check])]
}

type SentValues = readonly (readonly [name: string, value: unknown])[]

function notTaken(created: ProbeResponse, create: ResourceBinding, values: SentValues): Evaluation {
  const record = recordIn(created, create)
  if (!isSuccess(created) || !isObject(record)) return NOT_REACHED
  const sent = valueAt(parseJsonText(created.request.body ?? ''), create.hints.body ?? '')
  const taken = values.find(
    ([name, value]) => isObject(sent) && sent[name] === value && record[name] === value,
  )
  return passIf(!taken, created, `a value of the service for ${taken?.[0]}, which is readOnly`)
}

/** Names of what a request had better not set: a service may trust it. */
const REFERENCE = /id$|owner|user|account|tenant|role|admin/i

function readOnlyValues(create: ResourceBinding): SentValues {
  const { resource, hints, operation } = create
  const { schema = {} } = operation.body ?? {}
  const sent = propertiesOf(schemaAt(schema, hints.body ?? '') ?? {})
  return [...propertiesOf(shownSchema(create))].flatMap(([name, property]) => {
    const isSent = sent.has(name) && !sent.get(name)?.readOnly
    const isOwn = name === resource.id || name === hints.id || REFERENCE.test(name) || isSent
    const value = property.readOnly && !isOwn ? unlikelyValue(property) : undefined
    return value !== undefined && surelyMatches(property, value) ? [[name, value] as const] : []
  })
}

/** A value that a service does not set by chance. */
function unlikelyValue(property: Schema): unknown {
  if (['enum', 'const', 'pattern'].some((one) => keyword(property, one as 'enum') !== undefined))
    return undefined
  switch (typeOf(property)) {
    case 'integer':
    case 'number':
      return 987_654
    case 'string':
      return property.format === 'date-time' ? '2001-02-03T04:05:06Z' : unguessableWord()
    default:
      return undefined
  }
}
