export type Id = number | string
export type Row = Readonly<Record<string, unknown>>

export function idOf({ id }: Row): Id {
  if (typeof id === 'number' || typeof id === 'string') return id
  throw new TypeError(`A record without an id: ${id}`)
}

/** A record with what a client changes: RFC 7396, with nothing to remove. */
export function merged(row: Row, change: Row): Row {
  const entries = Object.entries(change).map(([name, value]) => {
    const old = row[name]
    return [name, isRow(value) && isRow(old) ? merged(old, value) : value]
  })
  return { ...row, ...Object.fromEntries(entries) }
}

export function isRow(value: unknown): value is Row {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
