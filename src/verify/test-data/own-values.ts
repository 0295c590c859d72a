import type { Operation } from '../../contract/contract.ts'
import { parsePointer } from '../../contract/parse-pointer.ts'
import type { ResourceBinding } from '../../resources/bind.ts'
import { withValueAt } from '../../resources/documented/record-body.ts'
import { isObject } from '../../validation/objects.ts'
import { parseJson } from '../requests/exact-json.ts'
import type { ProbeRequest } from '../requests/probe-messages.ts'
import { valueAt } from '../requests/record-address.ts'
import { unguessableWord } from '../requests/unguessable.ts'

/** The properties by which services often recognize a record, other than its id. */
const NAMES = /(name|title|key|slug|login|e-?mail)$/i

/** The body of a creation with names that no other record has: a service may replace the record with the same name. */
export function withOwnNames({ body }: Operation, value: unknown): unknown {
  if (!body || !isObject(value)) return value
  const [first, ...others] = Object.values(value)
  const place = isObject(first) && others.length === 0 ? Object.keys(value) : []
  const record = place.length === 0 ? value : first
  if (!isObject(record)) return value

  return Object.entries(record).reduce<unknown>((renamed, [name, text]) => {
    if (typeof text !== 'string' || !NAMES.test(name)) return renamed
    const own = text.includes('@')
      ? `${unguessableWord()}@example.com`
      : `${text} ${unguessableWord()}`
    const found = [own, own.replace(' ', '-'), unguessableWord()]
      .map((one) => withValueAt(renamed, [...place, name], one))
      .find((one) => body.validate(one))
    return found ?? renamed
  }, value)
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
