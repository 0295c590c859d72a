import type { SentFile } from '../../contract/input.ts'
import { plainName, propertiesOf } from '../../contract/schema.ts'
import { matches } from '../../generate/matches.ts'
import type { StoredRecord } from '../../records/record-table.ts'
import type { Resource } from '../resource.ts'

/** What records have of a file, by plain names. */
const FILE_VALUES: readonly (readonly [names: RegExp, value: (file: SentFile) => unknown])[] = [
  [/^(original)?file(name|title)$|^originalname$/, ({ name }) => name],
  [/^(file|content|byte)?(size|length)(in)?(bytes)?$|^bytes$/, ({ size }) => size],
  [/^(mime|content|media|file)type$/, ({ mediaType }) => mediaType],
]

/** What a record has of the only file in the request that creates it: its name, its size in bytes and its media type. */
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
