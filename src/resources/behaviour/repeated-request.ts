import type { Operation } from '../../contract/contract.ts'
import { plainName } from '../../contract/schema.ts'
import { RandomSource } from '../../generate/random.ts'
import type { StoredRecord } from '../../records/record-table.ts'
import { isObject, once } from '../../validation/objects.ts'
import { REQUEST_KEY } from '../hidden-properties.ts'
import type { Change, RecordRequest } from './record-request.ts'

// A client that does not know whether its request came to an end sends it again, with the same key.

/** What a new record keeps of the request that creates it: its key, if it has one. */
export function requestKey(request: RecordRequest): StoredRecord {
  const { admitted, binding, position = 0 } = request
  if (!binding.resource.hidden.has(REQUEST_KEY)) return {}
  const key = sentKey(request)
  if (key === undefined) return {}
  // The credential may be a secret, which a snapshot of the records must not have.
  const { credential = '' } = admitted.caller ?? {}
  const sent = RandomSource.from([credential, JSON.stringify(admitted.input.body) ?? '']).next()
  return { [REQUEST_KEY]: [binding.operation.id, sent, position, key].join(' ') }
}

/**
 * The record that an earlier request with the same key has created, or one that the request asks for if it exists. Nothing is looked for where
 * a request has neither.
 */
export function presentTwin(
  request: RecordRequest,
  values: StoredRecord,
): Promise<Change | undefined> | undefined {
  const { [REQUEST_KEY]: key } = values
  return key === undefined && !asksForPresent(request) ? undefined : findTwin(request, key, values)
}

async function findTwin(
  request: RecordRequest,
  key: unknown,
  values: StoredRecord,
): Promise<Change | undefined> {
  const twin = key === undefined ? undefined : await recordWith(request, REQUEST_KEY, key)
  if (twin) return { record: twin }
  if (!asksForPresent(request)) return undefined
  const { unique = {}, keys = [] } = request.binding.resource
  for (const name of new Set([...Object.keys(unique), ...keys])) {
    const value = values[name]
    const found = value === undefined ? undefined : await recordWith(request, name, value)
    if (found) return { record: found, status: 200 }
  }
  return undefined
}

async function recordWith(
  { records }: RecordRequest,
  name: string,
  value: unknown,
): Promise<StoredRecord | undefined> {
  const test = { places: [[name]], is: 'equal' as const, wanted: [value] }
  const { records: found } = await records.page({ tests: [test], limit: 1 })
  return found[0]
}

function sentKey({ admitted, binding }: RecordRequest): string | undefined {
  const { request, input } = admitted
  const names = ['idempotency-key', ...documentedNames(binding.operation)]
  const header = names.map((name) => request.header(name)).find((one) => one !== undefined)
  if (header !== undefined || !isObject(input.body)) return header
  const { idempotency_key: snake, idempotencyKey: camel = snake } = input.body
  return typeof camel === 'string' && camel !== '' ? camel : undefined
}

/** What a document calls the header with the key, in lower case. */
const documentedNames: (operation: Operation) => readonly string[] = once(({ parameters }) =>
  parameters
    .filter((one) => one.in === 'header' && /idempoten/i.test(one.name))
    .map(({ name }) => name.toLowerCase()),
)

/** Whether the query says that a record with the same name is the answer, such as `get_if_exists=true`. */
function asksForPresent({ admitted: { input } }: RecordRequest): boolean {
  return Object.entries(input.query).some(
    ([name, value]) => value === true && IF_EXISTS.test(plainName(name)),
  )
}

const IF_EXISTS = /^(get|return|use|reuse|fetch|find)if(already)?exists?$/
