import type { Contract, Operation, Parameter } from '../contract/contract.ts'
import { linkTo } from '../http/link.ts'
import { bind, type CrudAction, type Resource } from '../resources/bind.ts'
import { keyword, typeOf } from './values/sample.ts'

/** A resource with the operations on it. */
export interface Subject {
  readonly resource: Resource
  readonly operations: Readonly<Partial<Record<CrudAction, Operation>>>
}

/** The resources of a contract, and the operations that are about none. */
export function subjectsOf(contract: Contract): {
  readonly subjects: readonly Subject[]
  readonly others: readonly Operation[]
} {
  const bindings = bind(contract)
  const bound = bindings.flatMap((one) => (one.action === 'example' ? [] : [one]))
  const resources = [...new Set(bound.map(({ resource }) => resource))]

  return {
    subjects: resources.map((resource) => ({
      resource,
      operations: Object.fromEntries(
        bound
          .filter((one) => one.resource === resource)
          .map(({ action, operation }) => [action, operation]),
      ),
    })),
    others: bindings.flatMap((one) => (one.action === 'example' ? [one.operation] : [])),
  }
}

/** The path of an operation with this id in place of its parameter, and with what its query requires. */
export function targetOf(
  operation: Operation,
  id: unknown,
  query: readonly (readonly [name: string, value: string])[] = [],
): string {
  const path = operation.path.replace(/\{[^}]+\}/, encodeURIComponent(String(id)))
  const needed = operation.parameters
    .filter((one) => one.in === 'query' && one.required)
    .filter(({ name }) => query.every(([given]) => given !== name))
    .map((one) => [one.name, anyValue(one)] as const)
  const search = new URLSearchParams([...needed, ...query].map(([name, value]) => [name, value]))

  return search.size > 0 ? `${path}?${search}` : path
}

function anyValue({ schema }: Parameter): string {
  const [first] = keyword(schema, 'enum') ?? []
  const bound = schema.default ?? first ?? keyword(schema, 'minimum')
  return String(bound ?? (typeOf(schema) === 'string' ? 'verify' : 1))
}

/** The parameter that says how long a page may be, with its bounds. */
export function pageSizeOf(
  list: Operation,
): { readonly most: number | undefined; readonly preset: number | undefined } | undefined {
  const parameter = list.parameters.find((one) => one.in === 'query' && one.name === 'limit')
  if (!parameter) return undefined
  const { schema } = parameter
  const preset = typeof schema.default === 'number' ? schema.default : undefined

  return { most: keyword(schema, 'maximum'), preset }
}

/** The longest page there may be, as part of a query. */
export function longestPage(list: Operation): [name: string, value: string][] {
  const most = pageSizeOf(list)?.most
  return most === undefined ? [] : [['limit', String(most)]]
}

/** Whether an answer's time is past the day on which an operation is removed. */
export function isRemoved({ deprecation }: Operation, time: number): boolean {
  return time >= (deprecation?.sunset ?? Number.POSITIVE_INFINITY)
}

/** The target of the link with this relation (RFC 8288). */
export function linkOf(headers: Headers, relation: string): string | undefined {
  return linkTo(headers.get('Link') ?? '', relation)
}
