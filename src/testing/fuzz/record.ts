export type Id = number | string
export type ModelRecord = Readonly<Record<string, unknown>>

export function idOf({ id }: ModelRecord): Id {
  if (typeof id === 'number' || typeof id === 'string') return id
  throw new TypeError(`A record without an id: ${id}`)
}

/** A record with what a client changes: RFC 7396, with nothing to remove. */
export function mergePatch(row: ModelRecord, change: ModelRecord): ModelRecord {
  const entries = Object.entries(change).map(([name, value]) => {
    const old = row[name]
    return [name, isRecord(value) && isRecord(old) ? mergePatch(old, value) : value]
  })
  return { ...row, ...Object.fromEntries(entries) }
}

export function isRecord(value: unknown): value is ModelRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
