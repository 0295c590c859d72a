import type { Operation, RequestBody, Schema } from '../../contract/contract.ts'
import { parseJsonText } from '../../contract/json.ts'
import { parsePointer, propertiesOf, requiredNames, schemaAt } from '../../contract/schema.ts'
import type { JsonObject } from '../../document/json-value.ts'
import type { ResourceBinding } from '../../resources/bind.ts'
import { withValueAt } from '../../resources/views/record-body.ts'
import { isObject } from '../../validation/objects.ts'
import { isSafeMethod, NotSent } from '../messages.ts'
import { sentPlace, valueAt } from '../record-address.ts'
import type { BoundResource } from '../resource-operations.ts'
import { validRequest } from '../session/valid-request.ts'
import {
  type BodyVariant,
  invalidBodies,
  invalidForms,
  UNKNOWN,
  variantsOfChange,
  variantsOfOther,
} from '../test-data/body-variants.ts'
import { sampleBody, takesJson } from '../test-data/sample-body.ts'
import { ORDER, type Probe, singleRequestProbe } from './probe.ts'
import { rejectionChecks } from './refusals.ts'

/** The number of invalid bodies whose record is invalid beside its values, as in JSON:API. */
const MAX_BESIDE = 4

/** Bodies that the document forbids, for the creations and changes of records whose requests are the records. */
export function invalidBodyProbes({
  bindings: { create, update, replace },
}: BoundResource): Probe[] {
  const changes = [update, replace].filter((one) => one !== create)
  return [
    ...(create ? [...probesOf(create, (all) => all), ...invalidIdProbes(create)] : []),
    ...changes.flatMap((change) => (change ? probesOf(change, variantsOfChange) : [])),
  ]
}

/** Bodies that the document forbids, for an operation whose request is no record. */
export function otherInvalidBodyProbes(operation: Operation): Probe[] {
  const { body } = operation
  if (!body || !takesJson(body) || isSafeMethod(operation.method)) return []
  const sample = sampleBody(body, { model: undefined, text: 'verify', isComplete: true })
  const all = invalidBodies(body, isObject(sample) ? sample : {})
  return variantsOfOther(all.filter(({ text }) => text !== '' || body.required)).map(
    ({ what }, at) =>
      singleRequestProbe(
        ORDER.refusal + at / 100,
        operation,
        rejectionChecks(operation, 'body', what),
        async (session) => {
          const request = await validRequest(operation, session)
          const valid = parseJsonText(request.body ?? '')
          const broken = isObject(valid)
            ? invalidBodies(body, valid, undefined, '', (one) => one === what)[0]
            : undefined
          if (!broken) throw new NotSent('the variant does not make a valid body invalid')
          return { ...request, body: broken.text, isExact: true }
        },
      ),
  )
}

/** Whether the bodies of an operation are varied here: those whose record is an object. */
export function variesBody({ operation: { body }, hints }: ResourceBinding): boolean {
  const record = body && schemaAt(body.schema, hints.body ?? '')
  return body !== undefined && record !== undefined && takesJson(body)
}

function probesOf(
  binding: ResourceBinding,
  choose: (all: readonly BodyVariant[]) => readonly BodyVariant[],
): Probe[] {
  const { operation } = binding
  const { body } = operation
  if (!body || !variesBody(binding)) return []
  const sample = sampleBody(body, { model: undefined, text: 'verify', isComplete: false })
  // Where no valid body is known yet, more variants seem invalid. They are not sent when they turn out to be valid.
  const variants = variantsFor(body, isObject(sample) ? sample : {}, binding)

  return choose(variants.filter(({ text }) => text !== '' || body.required)).map(({ what }, at) => {
    const order = what.startsWith('a missing') ? ORDER.missingProperty : ORDER.invalidBody
    return singleRequestProbe(
      order + at / 100,
      operation,
      rejectionChecks(operation, 'body', what),
      async (session) => {
        const request = await validRequest(operation, session)
        const valid = parseJsonText(request.body ?? '')
        const broken = isObject(valid)
          ? variantsFor(body, valid, binding, (one) => one === what)[0]
          : undefined
        if (!broken) throw new NotSent('the variant does not make a valid body invalid')
        return { ...request, body: ofOneProperty(broken, binding).text, isExact: true }
      },
    )
  })
}

/** A change of single properties with nothing but the invalid one, so that a service has no other reason to refuse it. */
function ofOneProperty(variant: BodyVariant, binding: ResourceBinding): BodyVariant {
  const { operation, action } = binding
  const { property, text } = variant
  const place = sentPlace(binding)
  const body = parseJsonText(text)
  const record = valueAt(body, place)
  const isPart = action === 'update' && operation.method !== 'PUT'
  if (!isPart || property === undefined || !isObject(record) || !operation.body) return variant
  const schema = schemaAt(operation.body.schema, place) ?? {}
  const required = requiredNames(schema)
  // What a service does not know is nothing that it could change.
  const beside = property === UNKNOWN ? plainTextIn(record, schema) : undefined
  const kept = Object.entries(record).filter(
    ([name]) => name === property || name === beside || required.has(name),
  )
  const reduced = withValueAt(body, parsePointer(place), Object.fromEntries(kept))

  return operation.body.validate(reduced) ? variant : { ...variant, text: JSON.stringify(reduced) }
}

/** The name of a text of a record that may be any one, if there is one. */
function plainTextIn(record: JsonObject, schema: Schema): string | undefined {
  const properties = propertiesOf(schema)
  return Object.keys(record).find((name) => {
    const { format, enum: members, pattern } = properties.get(name) ?? { format: name }
    const isFree = format === undefined && members === undefined && pattern === undefined
    return isFree && typeof record[name] === 'string'
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

/** Invalid bodies like a valid one, so that a service has one reason only to refuse each. */
function variantsFor(
  body: RequestBody,
  valid: JsonObject,
  binding: ResourceBinding,
  isWanted?: (what: string) => boolean,
): readonly BodyVariant[] {
  const { resource, hints } = binding
  const id = hints.sentId ?? resource.id
  const [outer = '', values] = [hints.body, sentPlace(binding)]
  const ofValues = invalidBodies(body, valid, id, values, isWanted)
  if (outer === values) return ofValues
  const names = new Set(ofValues.map(({ what }) => what))
  const beside = invalidBodies(body, valid, id, outer, isWanted).filter(
    ({ what }) => !names.has(what) && !what.includes('attributes.'),
  )
  return [...ofValues, ...beside.slice(0, MAX_BESIDE)]
}
