import { documentedResponse } from '../../contract/documented-response.ts'
import { propertiesOf, schemaAt } from '../../contract/schema.ts'
import type { ResourceBinding } from '../../resources/bind.ts'
import { operationCheck, passIf } from '../checks/check.ts'
import type { BoundResource } from '../resource-operations.ts'
import { isSuccess } from '../session/messages.ts'
import { ORDER, type Probe } from './probe.ts'
import { creation, NOT_REACHED, storyOf } from './steps.ts'

/** Names of properties that belong to one record only. */
const IDENTIFIES = /^(e-?mail([-_]?address)?|user[-_]?name|login|slug|handle|domain|sku|isbn)$/i

/**
 * A second record like one that exists; only where the document has a 409, and clients choose ids or send what identifies
 * one record, such as an e-mail address.
 */
export function conflictProbes({ bindings: { create } }: BoundResource): Probe[] {
  const conflict = create && documentedResponse(create.operation, 409)
  if (!create || !conflict || !isAboutExisting(create)) return []
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
      const body = first && isSuccess(first) ? first.request.body : undefined
      return body === undefined ? undefined : { ...request, body }
    },
    0,
  )
  return [storyOf(ORDER.largeInteger, [creation(create), again], [check])]
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
