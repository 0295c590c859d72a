import type { Contract, Operation } from '../contract/contract.ts'
import {
  type CollectionOperations,
  groupByCollection,
  ITEM_PATH,
  namesOf,
} from './collection-operations.ts'
import { findResource, type Resource, successSchema } from './resource.ts'

/** What an operation does to the records of its collection. */
export type CrudAction = 'list' | 'create' | 'read' | 'replace' | 'update' | 'remove'

/** How an operation is answered, and why. */
export type Binding = {
  readonly operation: Operation
  /** Why, as `explain` prints it. */
  readonly reason: string
} & ({ readonly action: CrudAction; readonly resource: Resource } | { readonly action: 'example' })

/** The bindings of a contract. Each is found when it is first needed, because that reads the schemas of its operations. */
class Bindings {
  readonly #operations: readonly Operation[]
  readonly #groups: ReadonlyMap<string, CollectionOperations>
  readonly #names: ReadonlyMap<string, string>
  readonly #resources = new Map<string, Resource | string | undefined>()
  readonly #bindings = new Map<Operation, Binding>()

  constructor({ operations }: Contract) {
    this.#operations = operations
    this.#groups = groupByCollection(operations)
    this.#names = namesOf([...this.#groups.keys()])
  }

  of(operation: Operation): Binding {
    const binding = this.#bindings.get(operation) ?? bindOperation(operation, this.#resourceAt)
    this.#bindings.set(operation, binding)
    return binding
  }

  all(): readonly Binding[] {
    return this.#operations.map((operation) => this.of(operation))
  }

  /** The resource at a path, or the reason why there is none. */
  readonly #resourceAt = (path: string): Resource | string | undefined => {
    const group = this.#groups.get(path)
    if (!group) return undefined
    const found = this.#resources.get(path)
    if (found !== undefined) return found
    const resource = findResource(path, this.#names.get(path) ?? path, group)
    this.#resources.set(path, resource)
    return resource
  }
}

const known = new WeakMap<readonly Operation[], Bindings>()

function bindingsOf(contract: Contract): Bindings {
  const bindings = known.get(contract.operations) ?? new Bindings(contract)
  known.set(contract.operations, bindings)
  return bindings
}

/** Finds for each operation of a contract how it is answered, by its method, path and schemas. */
export function bind(contract: Contract): readonly Binding[] {
  return bindingsOf(contract).all()
}

/** How one operation of a contract is answered. */
export function bindingOf(contract: Contract, operation: Operation): Binding {
  return bindingsOf(contract).of(operation)
}

/** The resources of a contract, each once. */
export function resourcesIn(contract: Contract): readonly Resource[] {
  const bound = bind(contract).flatMap((binding) => ('resource' in binding ? binding.resource : []))
  return [...new Set(bound)]
}

function bindOperation(
  operation: Operation,
  resourceAt: (path: string) => Resource | string | undefined,
): Binding {
  const { method, path } = operation
  const example = (reason: string): Binding => ({ operation, action: 'example', reason })
  const [, itemOf] = ITEM_PATH.exec(path) ?? []
  const resource = resourceAt(itemOf ?? path)
  if (resource === undefined || typeof resource === 'string') {
    return example(
      resource ?? `${path} is neither the path of a collection nor of one of its records`,
    )
  }
  const action = itemOf === undefined ? collectionAction(operation) : itemAction(operation)
  if (!action)
    return example(
      `no action on ${resource.name} can be inferred from the schemas of ${method} ${path}`,
    )

  const what =
    itemOf === undefined
      ? `the collection ${path}`
      : `a record of ${resource.name}, found by its ${resource.id}`
  return { operation, action, resource, reason: `${method} on ${what}` }
}

function collectionAction({ method, body, responses }: Operation): CrudAction | undefined {
  if (method === 'GET' && successSchema(responses)?.type === 'array') return 'list'
  return method === 'POST' && body ? 'create' : undefined
}

function itemAction({ method, body }: Operation): CrudAction | undefined {
  if (method === 'GET') return 'read'
  if (method === 'DELETE') return 'remove'
  if (!body) return undefined
  if (method === 'PUT') return 'replace'
  return method === 'PATCH' ? 'update' : undefined
}
