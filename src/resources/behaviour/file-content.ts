import type { SentFile } from '../../contract/input.ts'
import { plainName, propertiesOf } from '../../contract/schema.ts'
import { matches } from '../../generate/matches.ts'
import { type CoreResponse, SOURCE_HEADER } from '../../http/message.ts'
import type { StoredRecord } from '../../records/record-table.ts'
import { getOwn, isObject } from '../../validation/objects.ts'
import { CONTENT } from '../hidden-properties.ts'
import type { Resource } from '../resource.ts'
import { mergedKnown } from './merge.ts'
import type { RecordRequest } from './record-request.ts'

// What a client uploads is kept with the record, so that a download has the same bytes.

/** How an upload changes a record: it has the file, and says what it is. */
export function withUpload({ admitted: { input } }: RecordRequest): typeof mergedKnown {
  const { files = [] } = input
  return (before, sent, resource) => ({
    ...mergedKnown(before, { ...sent, ...fileValues(files, resource) }, resource),
    ...keptContent(files),
  })
}

/** What a record keeps of the first file of a request: its media type, and its bytes in Base64. */
export function keptContent([file]: readonly SentFile[]): StoredRecord {
  if (!file) return {}
  const { bytes, mediaType = DEFAULT_TYPE } = file
  const step = 0x8000
  let text = ''
  for (let at = 0; at < bytes.length; at += step)
    text += String.fromCharCode(...bytes.subarray(at, at + step))

  return { [CONTENT]: { mediaType, data: btoa(text) } }
}

const DEFAULT_TYPE = 'application/octet-stream'

/** The response with the file of a record; `undefined` when no client has sent one. */
export function contentResponse(
  record: unknown,
  { admitted: { service } }: RecordRequest,
): CoreResponse | undefined {
  const kept = isObject(record) ? getOwn(record, CONTENT) : undefined
  if (!isObject(kept)) return undefined
  const isShown = service.settings.contract.sandbox?.sourceHeader !== false
  const body = Uint8Array.from(atob(String(kept.data)), (one) => one.charCodeAt(0))

  return {
    status: 200,
    headers: {
      'Content-Type': String(kept.mediaType),
      ...(isShown && { [SOURCE_HEADER]: 'record' }),
    },
    body,
    source: 'record',
  }
}

/** What records have of a file, by plain names. */
const FILE_VALUES: readonly (readonly [names: RegExp, value: (file: SentFile) => unknown])[] = [
  [/^(original)?file(name|title)$|^originalname$/, ({ name }) => name],
  [/^(file|content|byte)?(size|length)(in)?(bytes)?$|^bytes$/, ({ bytes }) => bytes.length],
  [/^(mime|content|media|file)type$/, ({ mediaType }) => mediaType],
]

/** What a record has of the only file in a request: its name, its size in bytes and its media type. */
export function fileValues(
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
