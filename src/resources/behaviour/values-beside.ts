import { propertiesOf, readOnlyNames } from '../../contract/schema.ts'
import type { StoredRecord } from '../../records/record-table.ts'
import { withoutHidden } from '../effects/hidden-properties.ts'
import { fileValues, keptContent } from './file-content.ts'
import { findRecord } from './find-record.ts'
import type { RecordRequest } from './record-request.ts'

/** What a new record has besides what the body of its request says: of the record that it copies, and of a file. */
export async function valuesBeside(request: RecordRequest): Promise<StoredRecord> {
  const { id, admitted, binding } = request
  const copied = id === undefined ? {} : await copiedValues(request)
  const { files = [] } = admitted.input
  const values = { ...copied, ...fileValues(files, binding.resource) }
  return binding.hints.content ? { ...values, ...keptContent(files) } : values
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
