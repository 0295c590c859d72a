import type { RequestBody } from '../../contract/contract.ts'
import { parseJsonText } from '../../contract/json.ts'
import { parsePointer, propertiesOf, schemaAt } from '../../contract/schema.ts'
import { withValueAt } from '../../resources/behaviour/record-body.ts'
import type { ResourceBinding } from '../../resources/bind.ts'
import { isObject } from '../../validation/objects.ts'
import type { BoundResource } from '../resource-operations.ts'
import { NotSent } from '../session/messages.ts'
import { valueAt } from '../session/record-address.ts'
import { validRequest } from '../session/valid-request.ts'
import { type BodyVariant, invalidBodies, invalidForms } from '../test-data/body-variants.ts'
import { sampleBody, takesJson } from '../test-data/sample-body.ts'
import { ORDER, type Probe, singleRequestProbe } from './probe.ts'
import { rejectionChecks } from './refusals.ts'

/** The number of invalid bodies that are sent to an operation that changes a record. */
const MAX_OF_CHANGE = 6

/** Bodies that the document forbids, for the creations and changes of records whose requests are the records. */
export function invalidBodyProbes({
  bindings: { create, update, replace },
}: BoundResource): Probe[] {
  const changes = [update, replace].filter((one) => one !== create)
  return [
    ...(create ? [...probesOf(create, Number.POSITIVE_INFINITY), ...invalidIdProbes(create)] : []),
    ...changes.flatMap((change) => (change ? probesOf(change, MAX_OF_CHANGE) : [])),
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

/** New ids that do not have the form of the document, where clients choose them. No other record has them. */
function invalidIdProbes(create: ResourceBinding): Probe[] {
  const { operation, resource, hints } = create
  const { body } = operation
  const place = parsePointer(hints.body ?? '')
  const name = hints.sentId ?? resource.id
  const schema = body && propertiesOf(schemaAt(body.schema, hints.body ?? '') ?? {}).get(name)
  if (!body || !schema || operation.method !== 'POST' || !takesJson(body)) return []

  return invalidForms(schema, undefined).map(({ what }, at) =>
    singleRequestProbe(
      ORDER.invalidBody + at / 100,
      operation,
      rejectionChecks(operation, 'body', what(name)),
      async (session) => {
        const request = await validRequest(operation, session)
        const valid = parseJsonText(request.body ?? '')
        const record = valueAt(valid, hints.body ?? '')
        const id = isObject(record) ? record[name] : undefined
        const isNew = session.gate.own.isIssued(id)
        const form = isNew ? invalidForms(schema, id)[at]?.value : undefined
        const broken = withValueAt(valid, [...place, name], form)
        if (typeof form !== 'string' || body.validate(broken))
          throw new NotSent('the document has no form for ids, or the run cannot make up new ones')
        session.gate.own.issue(form)
        return { ...request, body: JSON.stringify(broken), isExact: true }
      },
    ),
  )
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
