import type { Operation, Parameter } from '../../contract/contract.ts'
import { keyword, typeOf } from './schema-keywords.ts'

export type Query = readonly (readonly [name: string, value: string])[]

/** The path and query of a request to an operation: with this id as path parameter, and with all required query parameters. */
export function requestTarget(operation: Operation, id: unknown, query: Query = []): string {
  const path = operation.path.replace(/\{[^}]+\}/, encodeURIComponent(String(id)))
  const missing = operation.parameters
    .filter((one) => one.in === 'query' && one.required)
    .filter(({ name }) => query.every(([given]) => given !== name))
    .map((one) => [one.name, anyValue(one)] as const)
  const search = new URLSearchParams([...missing, ...query].map(([name, value]) => [name, value]))

  return search.size > 0 ? `${path}?${search}` : path
}

function anyValue({ schema }: Parameter): string {
  const [first] = keyword(schema, 'enum') ?? []
  const value = schema.default ?? first ?? keyword(schema, 'minimum')
  return String(value ?? (typeOf(schema) === 'string' ? 'verify' : 1))
}
