import type { Operation } from '../../contract/contract.ts'

export type Query = readonly (readonly [name: string, value: string])[]

/** The path and query of a request to an operation: with this id as path parameter. */
export function requestTarget(operation: Operation, id: unknown, query: Query = []): string {
  const path = operation.path.replace(/\{[^}]+\}/, encodeURIComponent(String(id)))
  const search = new URLSearchParams(query.map(([name, value]) => [name, value]))

  return search.size > 0 ? `${path}?${search}` : path
}
