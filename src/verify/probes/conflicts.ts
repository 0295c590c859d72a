import { parseJsonText } from '../../contract/json.ts'
import { parsePointer, propertiesOf, schemaAt } from '../../contract/schema.ts'
import type { JsonObject } from '../../document/json-value.ts'
import { withValueAt } from '../../resources/behaviour/record-body.ts'
import type { ResourceBinding } from '../../resources/bind.ts'
import { isObject } from '../../validation/objects.ts'
import { operationCheck, passIf } from '../checks/check.ts'
import type { BoundResource } from '../resource-operations.ts'
import { isSuccess } from '../session/messages.ts'
import { createdId, valueAt } from '../session/record-address.ts'
import { ORDER, type Probe } from './probe.ts'
import { creation, NOT_REACHED, storyOf } from './steps.ts'

/** Names of properties that belong to one record only. */
const IDENTIFIES = /^(e-?mail([-_]?address)?|user[-_]?name|login|slug|handle|domain|sku|isbn)$/i

/**
 * A second record like one that exists; only where the document has a 409, and clients choose ids or send what identifies
 * one record, such as an e-mail address.
 */
export function conflictProbes({ bindings: { create } }: BoundResource): Probe[] {
  const hasConflict = create?.operation.responses.some(({ status }) => status === 409)
  if (!create || !hasConflict || !isAboutExisting(create)) return []
  const check = operationCheck(
    create.operation,
    'conflict',
    'refuses a record that exists already with a 409',
    ([first, second]) =>
      first && second && isSuccess(first)
        ? passIf(second.status === 409, second, '409')
        : NOT_REACHED,
  )
  const again = creation(
    create,
    (request, [first]) => {
      const sent = first && isSuccess(first) ? parseJsonText(first.request.body ?? '') : undefined
      const id = first && createdId(first, create)
      if (!isObject(sent) || id === undefined) return undefined
      return { ...request, body: JSON.stringify(withId(sent, id, create)), isExact: true }
    },
    0,
  )
  return [storyOf(ORDER.largeInteger, [creation(create), again], [check])]
}

/** A record with the id of one that exists, where clients may choose ids. */
function withId(sent: JsonObject, id: string, { resource, hints }: ResourceBinding): unknown {
  const name = hints.sentId ?? resource.id
  const place = parsePointer(hints.body ?? '')
  const record = valueAt(sent, hints.body ?? '')
  if (!resource.hasClientIds || !isObject(record) || Object.hasOwn(record, name)) return sent
  return withValueAt(sent, [...place, name], id)
}

function isAboutExisting({ operation: { body }, resource, hints }: ResourceBinding): boolean {
  const sent = body && schemaAt(body.schema, hints.body ?? '')
  const names = sent ? [...propertiesOf(sent).keys()] : []
  return (
    resource.hasClientIds === true ||
    resource.unique !== undefined ||
    names.some((name) => IDENTIFIES.test(name))
  )
}
