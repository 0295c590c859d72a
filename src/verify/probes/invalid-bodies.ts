import type { RequestBody } from '../../contract/contract.ts'
import { parseJsonText } from '../../contract/json.ts'
import { schemaAt } from '../../contract/schema.ts'
import type { ResourceBinding } from '../../resources/bind.ts'
import { isObject } from '../../validation/objects.ts'
import type { BoundResource } from '../resource-operations.ts'
import { NotSent } from '../session/messages.ts'
import { validRequest } from '../session/valid-request.ts'
import { type BodyVariant, invalidBodies } from '../test-data/body-variants.ts'
import { sampleBody, takesJson } from '../test-data/sample-body.ts'
import { ORDER, type Probe, singleRequestProbe } from './probe.ts'
import { rejectionChecks } from './refusals.ts'

/** The number of invalid bodies that are sent to an operation that changes a record. */
const MAX_OF_CHANGE = 6

/** Bodies that the document forbids, for the creations and changes of records whose requests are the records. */
export function invalidBodyProbes({
  bindings: { create, update, replace },
}: BoundResource): Probe[] {
  return [
    ...(create ? probesOf(create, Number.POSITIVE_INFINITY) : []),
    ...[update, replace].flatMap((change) => (change ? probesOf(change, MAX_OF_CHANGE) : [])),
  ]
}

/** Whether the bodies of an operation are varied here: those whose record is an object. */
export function variesBody({ operation: { body }, hints }: ResourceBinding): boolean {
  const record = body && schemaAt(body.schema, hints.body ?? '')
  return body !== undefined && record !== undefined && takesJson(body)
}

function probesOf(binding: ResourceBinding, most: number): Probe[] {
  const { operation, resource, hints } = binding
  const { body } = operation
  if (!body || !variesBody(binding)) return []
  const sample = sampleBody(body, { model: undefined, text: 'verify', isComplete: false })
  const id = hints.sentId ?? resource.id
  const place = hints.body ?? ''
  // Where no valid body is known yet, more variants seem invalid. They are not sent when they turn out to be valid.
  const variants = invalidBodies(body, isObject(sample) ? sample : {}, id, place)

  return variants
    .filter(({ text }) => text !== '' || body.required)
    .slice(0, most)
    .map(({ what }, at) => {
      const order = what.startsWith('a missing') ? ORDER.missingProperty : ORDER.invalidBody
      return singleRequestProbe(
        order + at / 100,
        operation,
        rejectionChecks(operation, 'body', what),
        async (session) => {
          const request = await validRequest(operation, session)
          const broken = variantOf(body, request.body, { id, place, what })
          if (!broken) throw new NotSent('the variant does not make a valid body invalid')
          return { ...request, body: broken.text, isExact: true }
        },
      )
    })
}

/** The variant of a valid body, so that a service has one reason only to refuse it. */
function variantOf(
  body: RequestBody,
  text: string | undefined,
  wanted: { readonly id: string; readonly place: string; readonly what: string },
): BodyVariant | undefined {
  const valid = parseJsonText(text ?? '')
  if (!isObject(valid)) return undefined
  return invalidBodies(body, valid, wanted.id, wanted.place).find(
    ({ what }) => what === wanted.what,
  )
}
