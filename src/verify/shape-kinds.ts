import { isRow } from './row.ts'

/** The types found at each path of some values, as `[].price` with `number`. */
export type Shapes = ReadonlyMap<string, ReadonlySet<string>>

/** Deeper than this, a value is not looked into. */
const DEEPEST = 12

/** The shape of several values together: what is now and then left out stays visible. */
export function shapesOf(values: readonly unknown[]): Shapes {
  const shapes = new Map<string, Set<string>>()
  for (const value of values) gather(value, '', shapes, 0)

  return shapes
}

function gather(
  value: unknown,
  path: string,
  shapes: Map<string, Set<string>>,
  depth: number,
): void {
  const types = shapes.get(path) ?? new Set()
  shapes.set(path, types.add(typeOf(value)))
  if (depth > DEEPEST) return
  if (Array.isArray(value)) {
    for (const item of value) gather(item, `${path}[]`, shapes, depth + 1)
  } else if (isRow(value)) {
    for (const [name, inner] of Object.entries(value)) {
      gather(inner, path === '' ? name : `${path}.${name}`, shapes, depth + 1)
    }
  }
}

function typeOf(value: unknown): string {
  if (value === undefined) return 'no JSON'
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  return Number.isInteger(value) ? 'integer' : typeof value
}

/** What a header's value is, but for its value. */
export function kindOf(value: string): string {
  if (/^-?\d+$/.test(value)) return 'a whole number'
  if (/^@\d+$/.test(value)) return 'a date as @seconds'
  if (/^\w{3}, \d\d \w{3} \d{4} [\d:]{8} GMT$/.test(value)) return 'a date'
  if (/^<[^>]*>\s*;/.test(value)) return relationsOf(value)
  if (/^https?:\/\//.test(value)) return 'an address'
  if (/^\/\S*$/.test(value)) return 'a path'
  if (/^[\w.+-]+\/[\w.+-]+\s*(;.*)?$/.test(value)) return value.split(';', 1)[0]?.trim() ?? ''

  return 'text'
}

function relationsOf(link: string): string {
  const relations = [...link.matchAll(/rel="?([\w-]+)/g)].map(([, relation]) => relation)
  return `a link: ${[...new Set(relations)].sort().join(', ')}`
}
