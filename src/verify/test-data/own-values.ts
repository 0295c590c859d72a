import { parsePointer } from '../../contract/parse-pointer.ts'
import type { ResourceBinding } from '../../resources/bind.ts'
import { withValueAt } from '../../resources/documented/record-body.ts'
import { isObject } from '../../validation/is-object.ts'
import { parseJson } from '../requests/exact-json.ts'
import type { ProbeRequest } from '../requests/probe-messages.ts'
import { valueAt } from '../requests/record-address.ts'

/** The request with an id that no earlier request had, where the client chooses ids and they are texts. */
export function withOwnId(
  request: ProbeRequest,
  binding: ResourceBinding,
  number: number,
): ProbeRequest {
  const { hints, resource } = binding
  const name = hints.sentId ?? resource.id
  if (!resource.hasClientIds) return request

  return withRecord(request, binding, ([key, value]) =>
    key === name && typeof value === 'string' ? `${value}${number}` : value,
  )
}

/** The request with other texts and numbers than the one before, as far as the schema allows it. */
export function withOtherValues(request: ProbeRequest, binding: ResourceBinding): ProbeRequest {
  const { hints, resource } = binding
  const ids = [resource.id, hints.id, hints.sentId]

  return withRecord(request, binding, ([name, value]) => {
    if (ids.includes(name)) return value
    if (typeof value === 'string') return 'changed by verify'
    return typeof value === 'number' ? value + 1 : value
  })
}

/** The request with other values in its record. One that makes the body invalid is not taken. */
function withRecord(
  request: ProbeRequest,
  { operation, hints }: ResourceBinding,
  change: (entry: readonly [name: string, value: unknown]) => unknown,
): ProbeRequest {
  const place = hints.body ?? ''
  let body = parseJson(request.body ?? '')
  const record = valueAt(body, place)
  if (!isObject(record)) return request
  for (const entry of Object.entries(record)) {
    const [name] = entry
    const other = withValueAt(body, [...parsePointer(place), name], change(entry))
    if (operation.body?.validate(other)) body = other
  }
  return { ...request, body: JSON.stringify(body) }
}
