import type { CollectionDetails, RecordValues } from './collection-details.ts'
import { readText } from './property-input.ts'

/** The records of a page. */
export const PAGE_SIZE = 100

/** What the address says about the records that are shown. */
export interface RecordSettings {
  /** From 1. */
  readonly page: number
  /** The texts that properties must have. */
  readonly filters: Readonly<Record<string, string>>
  /** The id of the record that is open. */
  readonly record?: string
  readonly isAdding: boolean
}

/** Settings of the address with this prefix are filters. */
const PREFIX = 'where.'

export function readSettings(query: Readonly<Record<string, string>>): RecordSettings {
  const { page = '', record, add } = query
  const filters = Object.entries(query)
    .filter(([name, value]) => name.startsWith(PREFIX) && value !== '')
    .map(([name, value]) => [name.slice(PREFIX.length), value] as const)

  return {
    page: /^[1-9]\d{0,6}$/.test(page) ? Number(page) : 1,
    filters: Object.fromEntries(filters),
    ...(record !== undefined && { record }),
    isAdding: add !== undefined,
  }
}

/** The setting of a filter. An empty value removes it. */
export function filterSetting(name: string, value: string): Readonly<Record<string, string>> {
  return { [PREFIX + name]: value }
}

/** The filters as values of the properties. */
export function toWhere(
  filters: RecordSettings['filters'],
  { properties }: Pick<CollectionDetails, 'properties'>,
): RecordValues {
  const entries = Object.entries(filters).map(([name, text]) => {
    const schema = properties.find((one) => one.name === name)?.schema ?? {}
    const read = readText(text, schema, '')
    return [name, 'value' in read ? read.value : text] as const
  })
  return Object.fromEntries(entries)
}
