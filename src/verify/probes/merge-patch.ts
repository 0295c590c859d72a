import { parseJsonText } from '../../contract/json.ts'
import { parsePointer, propertiesOf, requiredNames, schemaAt } from '../../contract/schema.ts'
import type { JsonObject } from '../../document/json-value.ts'
import { generateValue } from '../../generate/generate-value.ts'
import { surelyMatches } from '../../generate/matches.ts'
import type { ResourceBinding } from '../../resources/bind.ts'
import { withValueAt } from '../../resources/views/record-body.ts'
import { isObject } from '../../validation/objects.ts'
import { type CheckDefinition, failure, operationCheck, passIf } from '../checks/check.ts'
import { isSuccess, type ProbeRequest, type ProbeResponse } from '../messages.ts'
import { isOnItem, recordIn, sentPlace, valuesIn } from '../record-address.ts'
import type { BoundResource } from '../resource-operations.ts'
import { fullValues, withValues } from '../test-data/full-body.ts'
import { unguessableWord } from '../test-data/unguessable.ts'
import { typeOf } from '../test-data/values.ts'
import { ORDER, type Probe } from './probe.ts'
import { creation, NOT_REACHED, onCreated, storyOf } from './steps.ts'

const CLAUSE = { clause: 'RFC 7396' }

/** A change by JSON Merge Patch: `null` removes a member, and an object changes the members that it has. */
export function mergePatchProbes({
  bindings: { create, read, update },
}: BoundResource): readonly Probe[] {
  if (!create || !read || update?.operation.method !== 'PATCH') return []
  const isMerge = update.operation.body?.mediaTypes.includes('application/merge-patch+json')
  const areOnItem = [read, update].every((one) => isOnItem(create, one))
  if (!isMerge || !areOnItem) return []
  const [before, after] = [membersOf(create), partsOf(update)]
  const removed = removableOf(create, update)
  const steps = [
    creation(create, (one) => withValues(one, create, { ...fullValues(create), ...before })),
    onCreated(read, create, 0),
    onCreated(update, create, 0, (one) => withOnly(one, update, { ...after, ...removed })),
    onCreated(read, create, 0),
  ]
  return [
    storyOf(ORDER.change + 0.62, steps, [
      removalCheck(update, read, Object.keys(removed)),
      keptCheck(update, read, Object.keys(after)),
    ]),
  ]
}

function recordSchemaOf(binding: ResourceBinding): NonNullable<ReturnType<typeof schemaAt>> {
  const { body } = binding.operation
  return (body && schemaAt(body.schema, sentPlace(binding))) ?? {}
}

/** Objects of a new record with several members. */
function membersOf(create: ResourceBinding): JsonObject {
  return Object.fromEntries(
    [...propertiesOf(recordSchemaOf(create))].flatMap(([name, schema]) => {
      if (typeOf(schema) !== 'object' || propertiesOf(schema).size > 0) return []
      const value = { verify_one: unguessableWord(), verify_two: unguessableWord() }
      return surelyMatches(schema, value) ? [[name, value] as const] : []
    }),
  )
}

/** Objects with one member only. */
function partsOf(update: ResourceBinding): JsonObject {
  return Object.fromEntries(
    [...propertiesOf(recordSchemaOf(update))].flatMap(([name, schema]) => {
      if (typeOf(schema) !== 'object' || propertiesOf(schema).size > 0) return []
      const value = { verify_one: unguessableWord() }
      return surelyMatches(schema, value) ? [[name, value] as const] : []
    }),
  )
}

/** Plain members that a change may remove, and that a new record has. */
function removableOf(create: ResourceBinding, update: ResourceBinding): JsonObject {
  const created = recordSchemaOf(create)
  const required = requiredNames(created)
  const known = propertiesOf(created)
  return Object.fromEntries(
    [...propertiesOf(recordSchemaOf(update))].flatMap(([name, schema]) => {
      const isKnown = known.has(name) && !required.has(name) && !schema.readOnly
      const isPlain = ['string', 'number', 'integer'].includes(typeOf(schema) ?? '')
      const value = generateValue({ schema, seed: 'verify', now: 0 })
      const isRemovable = surelyMatches(schema, null) && value.isValid
      return isKnown && isPlain && isRemovable ? [[name, null] as const] : []
    }),
  )
}

/** The request with nothing else in its record, in the media type of a merge patch. */
function withOnly(
  request: ProbeRequest,
  { operation, ...binding }: ResourceBinding,
  values: JsonObject,
): ProbeRequest {
  const place = parsePointer(sentPlace({ operation, ...binding }))
  const body = parseJsonText(request.body ?? '')
  const changed = place.length === 0 ? values : withValueAt(body, place, values)
  const isValid = Object.keys(values).length > 0 && operation.body?.validate(changed)
  const type = 'application/merge-patch+json'
  return isValid ? { ...request, body: JSON.stringify(changed), type } : request
}

/** What a record was before and after the change. */
function recordsIn(
  [, before, changed, after]: readonly ProbeResponse[],
  read: ResourceBinding,
): readonly [before: JsonObject, after: JsonObject, response: ProbeResponse] | undefined {
  if (!before || !changed || !after || ![before, changed, after].every(isSuccess)) return undefined
  const [old, now] = [before, after].map((one) => valuesIn(recordIn(one, read)))
  return isObject(old) && isObject(now) ? [old, now, after] : undefined
}

function removalCheck(
  update: ResourceBinding,
  read: ResourceBinding,
  names: readonly string[],
): CheckDefinition {
  const text = 'removes the members that a merge patch sets to null'
  return operationCheck(
    update.operation,
    'merge/null',
    text,
    (all) => {
      const found = recordsIn(all, read)
      if (!found) return NOT_REACHED
      const [old, now, after] = found
      const had = names.filter((name) => old[name] !== undefined && old[name] !== null)
      if (had.length === 0) return { leftOut: 'the record has none that may be removed' }
      const kept = had.find((name) => JSON.stringify(now[name]) === JSON.stringify(old[name]))
      return passIf(kept === undefined, after, `no "${kept}", or null`)
    },
    CLAUSE,
  )
}

function keptCheck(
  update: ResourceBinding,
  read: ResourceBinding,
  names: readonly string[],
): CheckDefinition {
  const text = 'keeps the members of an object that a merge patch does not name'
  return operationCheck(
    update.operation,
    'merge/kept',
    text,
    (all) => {
      const found = recordsIn(all, read)
      if (!found) return NOT_REACHED
      const [old, now, after] = found
      const had = names.filter((name) => isObject(old[name]) && 'verify_two' in old[name])
      if (had.length === 0) return { leftOut: 'the record has no object with free members' }
      const lost = had.find((name) => !(isObject(now[name]) && 'verify_two' in now[name]))
      return lost === undefined
        ? 'passed'
        : failure(after, `"verify_two" in "${lost}", which the request did not name`)
    },
    CLAUSE,
  )
}
