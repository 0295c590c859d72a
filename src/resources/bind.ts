import type { Contract, Operation } from '../contract/contract.ts'
import {
  type CollectionOperations,
  groupByCollection,
  ITEM_PATH,
  namesOf,
} from './collection-operations.ts'
import { acceptsIds } from './id-generator.ts'
import {
  findResource,
  idParameterOf,
  type NoResource,
  type Resource,
  successSchema,
} from './resource.ts'

/** What an operation does to the records of its collection. */
export type CrudAction = 'list' | 'create' | 'read' | 'replace' | 'update' | 'remove'

/** Why an operation reads and changes no record: `describeBinding` has the words. */
export type StatelessCause = NoResource | 'no-action' | 'refused-ids'

/** How an operation is answered. */
export type Binding =
  | ResourceBinding
  | {
      readonly operation: Operation
      readonly action: 'stateless'
      readonly cause: StatelessCause
    }

/** How an operation reads or changes records. */
export interface ResourceBinding {
  readonly operation: Operation
  readonly action: CrudAction
  readonly resource: Resource
}

/** The bindings of a contract. Each is found when it is first needed, because that reads the schemas of its operations. */
class Bindings {
  readonly #operations: readonly Operation[]
  readonly #groups: ReadonlyMap<string, CollectionOperations>
  readonly #names: ReadonlyMap<string, string>
  readonly #resources = new Map<string, Resource | NoResource>()
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

  /** The resource at a path, or why there is none. */
  readonly #resourceAt = (path: string): Resource | NoResource => {
    const group = this.#groups.get(path)
    if (!group) return 'no-record'
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
  resourceAt: (path: string) => Resource | NoResource,
): Binding {
  const { path } = operation
  const stateless = (cause: StatelessCause): Binding => ({ operation, action: 'stateless', cause })
  const [, itemOf] = ITEM_PATH.exec(path) ?? []
  const resource = resourceAt(itemOf ?? path)
  if (typeof resource === 'string') return stateless(resource)
  const parameter = idParameterOf(operation, resource.idParameter)
  if (parameter && !acceptsIds(parameter, resource.idSchema)) return stateless('refused-ids')
  const action = itemOf === undefined ? collectionAction(operation) : itemAction(operation)

  return action ? { operation, action, resource } : stateless('no-action')
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
