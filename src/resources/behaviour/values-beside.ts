import type { SentFile } from '../../contract/input.ts'
import { plainName, propertiesOf, readOnlyNames } from '../../contract/schema.ts'
import { matches } from '../../generate/matches.ts'
import type { StoredRecord } from '../../records/record-table.ts'
import { withoutHidden } from '../effects/hidden-properties.ts'
import type { Resource } from '../resource.ts'
import { findRecord } from './find-record.ts'
import type { RecordRequest } from './record-request.ts'

/** What a new record has besides what the body of its request says: of the record that it copies, and of a file. */
export async function valuesBeside(request: RecordRequest): Promise<StoredRecord> {
  const { id, admitted, binding } = request
  const copied = id === undefined ? {} : await copiedValues(request)
  return { ...copied, ...fileValues(admitted.input.files ?? [], binding.resource) }
}

/** What a copy has of the record that its path names: what clients may send, and what no rule says of new records; no keys. */
async function copiedValues(request: RecordRequest): Promise<StoredRecord> {
  const { resource } = request.binding
  const { id, keys = [], values = {}, schema, sent = [] } = resource
  const { record } = await findRecord(request)
  const isSent = (name: string): boolean => sent.some((one) => propertiesOf(one).has(name))
  const isService = new Set([...Object.keys(values), ...readOnlyNames(schema)])
  const copied = Object.entries(withoutHidden(record, resource)).filter(
    ([name]) => ![id, ...keys].includes(name) && (isSent(name) || !isService.has(name)),
  )
  return Object.fromEntries(copied)
}

/** What records have of a file, by plain names. */
const FILE_VALUES: readonly (readonly [names: RegExp, value: (file: SentFile) => unknown])[] = [
  [/^(original)?file(name|title)$|^originalname$/, ({ name }) => name],
  [/^(file|content|byte)?(size|length)(in)?(bytes)?$|^bytes$/, ({ size }) => size],
  [/^(mime|content|media|file)type$/, ({ mediaType }) => mediaType],
]

/** What a record has of the only file in the request that creates it: its name, its size in bytes and its media type. */
function fileValues(
  [file, other]: readonly SentFile[],
  { schema }: Pick<Resource, 'schema'>,
): StoredRecord {
  if (!file || other) return {}
  const entries = [...propertiesOf(schema)].flatMap(([name, property]) => {
    const value = FILE_VALUES.find(([names]) => names.test(plainName(name)))?.[1](file)
    const fitting = [value, String(value)].find((one) => matches(property, one))
    return value === undefined || fitting === undefined ? [] : [[name, fitting] as const]
  })
  return Object.fromEntries(entries)
}
