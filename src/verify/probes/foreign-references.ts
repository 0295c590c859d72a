import type { Contract, Operation } from '../../contract/contract.ts'
import { isCheckable } from '../../contract/credentials.ts'
import { parseJsonText } from '../../contract/json.ts'
import { parsePointer, propertiesOf, schemaAt } from '../../contract/schema.ts'
import type { DocumentTexts } from '../../document/document-texts.ts'
import { withQuery } from '../../requests/outgoing-request.ts'
import { type ResourceBinding, resourcesIn } from '../../resources/bind.ts'
import { linksOf } from '../../resources/record-links.ts'
import { singular } from '../../resources/reference-names.ts'
import { withValueAt } from '../../resources/views/record-body.ts'
import { isObject } from '../../validation/objects.ts'
import { operationCheck, passIf } from '../checks/check.ts'
import { sentRecord } from '../checks/shown-values.ts'
import { isGone, isSuccess, type ProbeRequest, type ProbeResponse } from '../messages.ts'
import {
  boundTo,
  idIn,
  isItemOf,
  isSameTemplate,
  plainName,
  recordsAt,
  recordTemplate,
  segmentsOf,
  sentPlace,
  valueAt,
} from '../record-address.ts'
import type { BoundResource } from '../resource-operations.ts'
import { sentencesOf } from '../session/stated-rules.ts'
import { creationRequest } from '../session/valid-request.ts'
import { takesJson } from '../test-data/sample-body.ts'
import { longestPage } from '../test-data/values.ts'
import { ORDER, type Probe, requestTo } from './probe.ts'
import { referencesIn } from './stated-inputs.ts'

/** What says that a reference must be to a record of the own account. */
const OWN =
  /\b(your|the|this|its|own) (own )?(account|school|organi[sz]ation|workspace|tenant|company|team|shop)\b|\b(the|a) caller'?s\b|\bof the caller\b|\byour own\b/i

/**
 * References to records of somebody else, where the document says in words that they must be of the own account, as in "A student of
 * your school; otherwise the answer is 422": a record that only the other key lists, and that the first one cannot read.
 */
export function foreignReferenceProbes(
  { bindings: { create } }: BoundResource,
  contract: Contract,
  texts: DocumentTexts,
): Probe[] {
  const body = create?.operation.method === 'POST' ? create.operation.body : undefined
  if (!create || !body || !takesJson(body)) return []
  const { id } = create.operation
  const schema = schemaAt(body.schema, sentPlace(create)) ?? {}
  const names = propertiesOf(schema)
  return linksOf({ ...create.resource, schema }, resourcesIn(contract)).flatMap(
    ({ property, to }) => {
      const noun = plainName(singular(segmentsOf(to.path).at(-1) ?? ''))
      const general = sentencesOf(texts.operation(id)).filter((one) =>
        [noun, plainName(property)].some((word) => plainName(one).includes(word)),
      )
      const about = [texts.property(id, property), ...general]
      // The status may be in a sentence of its own.
      const said = [texts.property(id, property), texts.operation(id)].join(' ')
      const isRuled = about.some((one) => OWN.test(one)) && /\b4\d\d\b/.test(said)
      const list = contract.operations.find((one) => {
        const binding = boundTo(contract, one)
        return binding?.action === 'list' && binding.resource === to && isCheckable(one, contract)
      })
      const read =
        list &&
        contract.operations.find(
          (one) =>
            one.method === 'GET' &&
            isItemOf(list, one) &&
            isSameTemplate(segmentsOf(one.path).slice(0, -1), segmentsOf(list.path)) &&
            one.responses.some(isGone),
        )
      if (!isRuled || !names.has(property) || !list || !read) return []
      return recordTemplate(list).length > 0
        ? []
        : [probe(create, property, { list, read }, contract)]
    },
  )
}

function probe(
  create: ResourceBinding,
  property: string,
  { list, read }: Readonly<Record<'list' | 'read', Operation>>,
  contract: Contract,
): Probe {
  const { operation } = create
  const text = `refuses a ${property} of a record of somebody else`
  const check = operationCheck(
    operation,
    `foreign/${property}`,
    text,
    ([, unread, own, tried]) =>
      unread && own && tried && isGone(unread) && isSuccess(own)
        ? passIf(!isSuccess(tried), tried, '4xx, as the description says')
        : { leftOut: 'no record is listed with the other key only' },
    { clause: 'OWASP API Security 2023, API1' },
  )
  return {
    order: ORDER.otherKey + 0.1,
    maxRequests: 4,
    creations: 2,
    requires: 'writes',
    checks: [check],
    send: async (session) => {
      const binding = boundTo(contract, list)
      const target = withQuery(list.path, () => false, longestPage(list))
      const others = await session.send({
        ...requestTo(list, { target }),
        credentials: 'other-key',
      })
      const listed = binding && isSuccess(others) ? (recordsAt(others, binding) ?? []) : []
      const id = binding && listed.map((one) => idIn(one, binding)).find((one) => one !== undefined)
      if (id === undefined) return [others]
      const path = `${list.path.replace(/\/$/, '')}/${encodeURIComponent(id)}`
      const unread = await session.send(requestTo(read, { target: path }))
      if (!isGone(unread)) return [others, unread]
      // A service that refuses every creation does not show that it refuses this one.
      const good = await creationRequest(operation, session)
      const own = await session.send({ ...good, isValid: true })
      const fresh = await creationRequest(operation, session)
      const tried = referringTo(id, property, create, [fresh, own])
      if (!isSuccess(own) || !tried) return [others, unread, own]
      return [others, unread, own, await session.send(tried)]
    },
  }
}

/** A creation that refers to a record; `undefined` when its body would be invalid. */
function referringTo(
  id: string,
  property: string,
  create: ResourceBinding,
  [request, own]: readonly [ProbeRequest, ProbeResponse],
): ProbeRequest | undefined {
  const sent = parseJsonText(request.body ?? '')
  const place = sentPlace(create)
  const [record, known] = [valueAt(sent, place), sentRecord(own, create)]
  if (!isObject(record) || !isObject(known)) return undefined
  const old = known[property] ?? record[property]
  const foreign = typeof old === 'number' ? Number(id) : id
  const value = Array.isArray(old) ? [foreign] : foreign
  // Its other references are those that the service has accepted.
  const changed = { ...record, ...referencesIn(known), [property]: value }
  const body = withValueAt(sent, parsePointer(place), changed)
  const flags = { isRepeated: true, keepsReferences: true, isValid: true } as const
  return create.operation.body?.validate(body)
    ? { ...request, body: JSON.stringify(body), ...flags }
    : undefined
}
