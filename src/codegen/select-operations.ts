import type { Contract, Operation } from '../contract/contract.ts'
import type { ContractResource } from '../contract/hints.ts'
import { resourcesIn } from '../resources/bind.ts'
import { isCollectionOf } from '../resources/start-of.ts'
import { isObject } from '../validation/objects.ts'
import { suggest, UsageError, unknownName } from '../validation/usage-error.ts'

/** Which operations a part of a document has: those that are named, and those with one of the tags. */
export interface Selection {
  /** By their id, or by method and path such as `GET /books`. */
  readonly operations?: readonly string[] | undefined
  readonly tags?: readonly string[] | undefined
}

/**
 * The contract with the selected operations, and with the resources that they use; the whole contract without a selection. Throws a
 * UsageError for unknown names.
 */
export function selectOperations(contract: Contract, { operations, tags }: Selection): Contract {
  if (operations === undefined && tags === undefined) return contract
  const all = contract.operations
  const selected = new Set([
    ...(operations ?? []).flatMap((name) => findOperations(name, all)),
    ...(tags ?? []).flatMap((tag) => withTag(tag, all)),
  ])
  if (selected.size === 0) {
    throw new UsageError({
      code: 'unknown_operation',
      task: 'select the operations',
      reason: 'no operation is named',
      help: 'Name an operation or a tag, for example --operations listBooks.',
    })
  }
  const isSelected = (operation: Operation): boolean => selected.has(operation)

  return withUsedResources({
    ...contract,
    operations: all.filter(isSelected),
    leftOut: describePaths(all.filter((operation) => !isSelected(operation))),
  })
}

function findOperations(name: string, operations: readonly Operation[]): readonly Operation[] {
  const found = operations.filter(
    (operation) => operation.id === name || requestOf(operation) === name,
  )
  if (found.length > 0) return found
  const known = name.includes('/')
    ? operations.map(requestOf)
    : operations.map((operation) => operation.id)
  const { suggestion } = suggest(name, known)
  throw new UsageError({
    code: 'unknown_operation',
    task: 'select the operations',
    reason: `the document has no operation "${name}"`,
    ...(suggestion === undefined
      ? { help: 'Run "pet-sandbox explain" with the document to list its operations.' }
      : { suggestion }),
    allowed: known,
  })
}

function withTag(tag: string, operations: readonly Operation[]): readonly Operation[] {
  const found = operations.filter(({ tags = [] }) => tags.includes(tag))
  if (found.length > 0) return found
  const known = [...new Set(operations.flatMap(({ tags = [] }) => tags))]
  throw new UsageError({
    code: 'unknown_tag',
    task: 'select the operations',
    ...unknownName('tag', tag, known),
    ...(known.length === 0 && { help: 'No operation of the document has a tag.' }),
  })
}

function requestOf({ method, path }: Operation): string {
  return `${method} ${path}`
}

/** The operations in little text: `GET,POST /books` for each path. */
function describePaths(operations: readonly Operation[]): readonly string[] {
  const methods = new Map<string, Set<string>>()
  for (const { method, path } of operations) {
    methods.set(path, (methods.get(path) ?? new Set()).add(method))
  }
  return [...methods].map(([path, names]) => `${[...names].join()} ${path}`)
}

/** Leaves out the resources that neither the operations nor what they name need, and their records. */
function withUsedResources(contract: Contract): Contract {
  const { resources, sandbox, operations } = contract
  if (!resources) return contract
  const names = new Map<string, Set<string>>()
  for (const [name, resource] of Object.entries(resources)) {
    for (const text of resource ? [name, resource.path, ...aliasPaths(resource)] : []) {
      names.set(text, (names.get(text) ?? new Set()).add(name))
    }
  }
  const named = (value: unknown): readonly string[] =>
    textsIn(value).flatMap((text) => [...(names.get(text) ?? [])])
  const used = new Set(operations.flatMap(({ hints, path }) => named([hints, path])))
  // A `for of` loop also visits what is added to the set during the loop.
  for (const name of used) for (const other of named(linksOf(resources[name]))) used.add(other)
  const kept = Object.fromEntries(Object.entries(resources).filter(([name]) => used.has(name)))
  const selected = { ...contract, resources: kept }
  if (!sandbox?.records) return selected
  const collections = resourcesIn(selected)
  const records = Object.entries(sandbox.records).filter(([name]) =>
    collections.some((one) => isCollectionOf(one, name)),
  )

  return { ...selected, sandbox: { ...sandbox, records: Object.fromEntries(records) } }
}

/** What a resource says about those above it and about its callers. What is below it has no operation in the part. */
function linksOf(resource: ContractResource | undefined): unknown {
  if (!resource) return undefined
  const { path, counted, keyed, within, callers, aliases, otherPaths, values } = resource
  return [path, counted, keyed, within, callers, aliases, otherPaths, values]
}

function aliasPaths({ otherPaths = [], aliases = {} }: ContractResource): readonly string[] {
  return [...otherPaths.map(({ path }) => path), ...Object.keys(aliases)]
}

/** All texts in a value, names of properties included. */
function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value]
  if (Array.isArray(value)) return value.flatMap(textsIn)
  return isObject(value) ? Object.entries(value).flatMap(textsIn) : []
}
