export type Id = number | string
/** A record of the collection. */
export type ModelRecord = Readonly<Record<string, unknown>>

export function idOf({ id }: ModelRecord): Id {
  if (typeof id === 'number' || typeof id === 'string') return id
  throw new TypeError(`The record has no id: ${id}`)
}

/** Applies a JSON Merge Patch (RFC 7396) without `null` members. */
export function mergePatch(record: ModelRecord, patch: ModelRecord): ModelRecord {
  const entries = Object.entries(patch).map(([name, value]) => {
    const old = record[name]
    return [name, isRecord(value) && isRecord(old) ? mergePatch(old, value) : value]
  })
  return { ...record, ...Object.fromEntries(entries) }
}

export function isRecord(value: unknown): value is ModelRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
