import type { Contract, Operation } from '../contract/contract.ts'
import type {
  Action,
  ContractResource,
  OperationHints,
  StatelessReason,
} from '../contract/hints.ts'
import { withCases } from '../contract/operation-cases.ts'
import { parsePointer } from '../contract/schema.ts'
import { Turns } from '../time/turns.ts'
import { getOwn, once } from '../validation/objects.ts'
import { type CollectionAddress, checkCollection, findCollection } from './collection-name.ts'
import {
  aliasesOf,
  createResource,
  type IdReference,
  type Reference,
  type Resource,
} from './resource.ts'
import { isCollectionOf, type NamedCollection } from './start-of.ts'

/** How an operation is answered. */
export type Binding =
  | ResourceBinding
  | {
      readonly operation: Operation
      readonly action: 'stateless'
      readonly reason: StatelessReason
    }

/** How an operation reads or changes records. */
export interface ResourceBinding {
  readonly operation: Operation
  readonly action: Action
  readonly resource: Resource
  readonly hints: OperationHints
  /** The resource whose records the list in a record shows; absent when the operation is about no such list. */
  readonly listed?: () => Resource | undefined
}

/** The bindings of a contract. Each is made when it is first needed, because that reads the schemas of its operations. */
class Bindings {
  readonly #contract: Contract
  readonly #resources = new Map<string, Resource | undefined>()
  readonly #bindings = new Map<Operation, Binding>()
  readonly #names = new Map<Operation, readonly string[]>()
  #operations: ReadonlyMap<string, Operation> | undefined

  constructor(contract: Contract) {
    this.#contract = contract
  }

  of(operation: Operation): Binding {
    const binding = this.#bindings.get(operation) ?? this.#bind(operation)
    this.#bindings.set(operation, binding)
    return binding
  }

  /** The names of the resources of an operation and its cases. Only its hints are read: to bind it takes twice as long. */
  namesOf(operation: Operation): readonly string[] {
    const known = this.#names.get(operation)
    if (known) return known
    const names = withCases(operation).flatMap(({ hints }) =>
      hints && hints.action !== 'stateless' ? (hints.resource ?? []) : [],
    )
    this.#names.set(operation, names)
    return names
  }

  isKnown(operation: Operation): boolean {
    return this.#bindings.has(operation)
  }

  hasNamesOf(operation: Operation): boolean {
    return this.#names.has(operation)
  }

  all(): readonly Binding[] {
    return this.#contract.operations.map((operation) => this.of(operation))
  }

  #bind(operation: Operation): Binding {
    const { hints } = operation
    const stateless = { operation, action: 'stateless' } as const
    if (!hints || hints.action === 'stateless')
      return { ...stateless, reason: hints?.reason ?? 'no-action' }
    const resource = this.resource(hints.resource ?? '')
    const { of } = hints.list ?? {}
    const listed = of === undefined ? {} : { listed: () => this.resource(of) }

    return resource
      ? { operation, action: hints.action, resource, hints, ...listed }
      : { ...stateless, reason: 'no-record' }
  }

  resource(name: string): Resource | undefined {
    if (this.#resources.has(name)) return this.#resources.get(name)
    const { resources = {}, operations, sandbox } = this.#contract
    const found = getOwn(resources, name)
    this.#operations ??= new Map(operations.map((one) => [one.id, one]))
    const isDropped = sandbox?.unknownProperties === 'drop'
    const resource =
      found && this.#linked(createResource(found, this.#operations, isDropped), found)
    this.#resources.set(name, resource)
    return resource
  }

  /** A resource with those above it that its hints name. */
  #linked(resource: Resource, found: ContractResource): Resource {
    const references = this.#references(found)
    const idReferences = this.#idReferences(found)
    const within = Object.entries(found.within ?? {}).map(([parameter, name]) => {
      return { parameter, of: () => this.resource(name) }
    })
    const by = resource.operations?.find(({ hints }) => hints.mark)?.hints.mark?.by
    const linked = {
      ...resource,
      ...this.#above(found),
      ...(references && { references }),
      ...(idReferences.length > 0 && { idReferences }),
      ...(within.length > 0 && { within }),
      ...(by !== undefined && { markers: () => this.resource(by) }),
    }
    // What is below is read when it is needed, as it takes long in a large document.
    const hasBelow = 'below' in found
    if (!(found.otherPaths || hasBelow)) return linked
    const named = (name: string): Resource | undefined => this.resource(name)
    const aliases = aliasesOf(linked, found, (other) => this.#above(other), named)
    return {
      ...linked,
      ...(aliases.length > 0 && { aliases }),
      ...(hasBelow && {
        findBelow: () =>
          (found.below ?? []).flatMap(
            ({ resource: name, path }) =>
              named(name)?.aliases?.find(({ at }) => at.path === path) ?? [],
          ),
      }),
    }
  }

  #references({ references }: ContractResource): readonly Reference[] | undefined {
    return (
      references &&
      Object.entries(references).map(([name, to]) => {
        const { of, ...others } = typeof to === 'string' ? { of: to } : to
        return { name, of: () => this.resource(of), ...others }
      })
    )
  }

  #idReferences({ idReferences = {} }: ContractResource): readonly IdReference[] {
    return Object.entries(idReferences).map(([at, target]) => {
      const [name = at, ...inner] = at.startsWith('/') ? parsePointer(at) : []
      return { place: [name, ...inner], target, of: () => this.resource(target) }
    })
  }

  #above({
    counted,
    keyed,
    callers,
  }: Pick<ContractResource, 'counted' | 'keyed' | 'callers'>): Pick<
    Resource,
    'counted' | 'keyed' | 'callers'
  > {
    return {
      ...(counted && { counted: { ...counted, in: () => this.resource(counted.resource) } }),
      ...(callers !== undefined && { callers: () => this.resource(callers) }),
      ...(keyed && { keyed: () => keyed.flatMap((name) => this.resource(name) ?? []) }),
    }
  }
}

const known = new WeakMap<readonly Operation[], Bindings>()

function bindingsOf(contract: Contract): Bindings {
  const bindings = known.get(contract.operations) ?? new Bindings(contract)
  known.set(contract.operations, bindings)
  return bindings
}

/** Finds for each operation of a contract how it is answered, by its hints. */
export function bind(contract: Contract): readonly Binding[] {
  return bindingsOf(contract).all()
}

/** How one operation of a contract is answered. */
export function bindingOf(contract: Contract, operation: Operation): Binding {
  return bindingsOf(contract).of(operation)
}

/** A resource by its name; `undefined` for an unknown one. */
export function resourceNamed(contract: Contract, name: string): Resource | undefined {
  return bindingsOf(contract).resource(name)
}

/** The paths of the collections by the names of their resources. To read all of the resources would take seconds for a large document. */
export const pathsOf: (contract: Contract) => Readonly<Record<string, string>> = once(
  ({ resources = {}, resourcePaths }) =>
    resourcePaths ??
    Object.fromEntries(
      Object.entries(resources).flatMap(([name, one]) => (one ? [[name, one.path]] : [])),
    ),
)

/** A resource that an operation is about; `undefined` for another name. */
function boundResource(contract: Contract, name: string): Resource | undefined {
  const found = resourceNamed(contract, name)
  return found?.operations !== undefined && found.operations.length > 0 ? found : undefined
}

/** The resources whose paths are wanted, each once. Others are not read. */
export function resourcesAt(
  contract: Contract,
  isWanted: (path: string) => boolean,
): readonly Resource[] {
  return Object.entries(pathsOf(contract)).flatMap(([name, path]) =>
    isWanted(path) ? (boundResource(contract, name) ?? []) : [],
  )
}

/** The resources at some paths, whose names are spelt as the document has them. No other is read, and none is looked for among all. */
export function resourcesOfPaths(
  contract: Contract,
  paths: readonly string[],
): readonly Resource[] {
  const names = namesByPath(contract)
  return paths.flatMap((path) =>
    (names.get(path) ?? []).flatMap((name) => boundResource(contract, name) ?? []),
  )
}

const namesByPath = once((contract: Contract) => {
  const names = new Map<string, readonly string[]>()
  for (const [name, encoded] of Object.entries(pathsOf(contract))) {
    const path = decodeURI(encoded)
    names.set(path, [...(names.get(path) ?? []), name])
  }
  return names
})

/** The resources of a contract, each once. */
export const resourcesIn: (contract: Contract) => readonly Resource[] = once(
  (contract: Contract) => {
    const bound = contract.operations
      .flatMap(withCases)
      .map((operation) => bindingOf(contract, operation))
      .flatMap((binding) => ('resource' in binding ? binding.resource : []))
    return [...new Set(bound)]
  },
)

/**
 * The same, and other requests are answered in between: what the operations of a large document do is found out for seconds. With `wait`,
 * after so many milliseconds at the latest: those that anybody found until then.
 */
export async function readResources(
  contract: Contract,
  wait: number = Number.POSITIVE_INFINITY,
  turns: Turns = new Turns(),
): Promise<readonly Resource[]> {
  const bindings = bindingsOf(contract)
  const end = performance.now() + wait
  const found = new Set<Resource>()
  for (const operation of contract.operations) {
    if (performance.now() > end && !bindings.isKnown(operation)) continue
    for (const one of withCases(operation)) {
      const binding = bindings.of(one)
      if ('resource' in binding) found.add(binding.resource)
    }
    await turns.yield()
  }
  return [...found]
}

/** The names and paths of the resources, in the same way and order. They are known earlier than the resources. */
export async function readNames(
  contract: Contract,
  wait: number = Number.POSITIVE_INFINITY,
  turns: Turns = new Turns(),
): Promise<readonly NamedCollection[]> {
  const bindings = bindingsOf(contract)
  const end = performance.now() + wait
  const names = new Set<string>()
  for (const operation of contract.operations) {
    if (performance.now() > end && !bindings.hasNamesOf(operation)) continue
    for (const name of bindings.namesOf(operation)) names.add(name)
    await turns.yield()
  }
  const paths = pathsOf(contract)
  return [...names].map((name) => ({ name, path: paths[name] ?? '' }))
}

/**
 * A collection by its name or path, as `findCollection` finds it among all resources of a contract. Where one path only is like it, no
 * other resource is read, which takes long in a large document.
 */
export function collectionIn(contract: Contract, text: string): CollectionAddress | undefined {
  return onlyCollection(contract, text) ?? findCollection(resourcesIn(contract), text)
}

/** The same. Where other resources have to be read, as for the name of an unknown collection, other requests are answered in between. */
export async function readCollection(
  contract: Contract,
  text: string,
): Promise<CollectionAddress | undefined> {
  return onlyCollection(contract, text) ?? findCollection(await readResources(contract), text)
}

/** The collection, where the path of one resource only is like the text. */
function onlyCollection(contract: Contract, text: string): CollectionAddress | undefined {
  const [[name] = [''], ...others] = Object.entries(contract.resourcePaths ?? {}).filter(
    ([name, path]) => isCollectionOf({ name, path }, text),
  )
  const only = others.length === 0 ? boundResource(contract, name) : undefined

  return only && findCollection([only], text)
}

/** The same. Throws a UsageError for the name of an unknown collection, and for one without the ids of the collection's parents. */
export function requireCollection(name: string, contract: Contract): CollectionAddress {
  const known = collectionIn(contract, name)
  if (!known || name.includes('{')) checkCollection(name, resourcesIn(contract))
  if (!known) throw new TypeError(`${name} is not bound`)
  return known
}
