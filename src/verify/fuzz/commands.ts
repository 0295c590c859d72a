import type { Operation } from '../../contract/contract.ts'
import type { RandomSource } from '../../generate/random.ts'
import type { ResourceBinding } from '../../resources/bind.ts'
import type { Target } from '../messages.ts'
import { isItemOf, isOnCollection } from '../record-address.ts'
import { type BoundResource, groupByResource } from '../resource-operations.ts'

/** What a request of a random sequence does. */
export type CommandKind = 'create' | 'read' | 'list' | 'change' | 'remove' | 'query'

/** One request of a random sequence. Its random parts come from its seed, so that they are the same each time. */
export interface Command {
  readonly kind: CommandKind
  readonly operation: Operation
  readonly create?: ResourceBinding
  /** What the operation does to records; absent for a query. */
  readonly binding?: ResourceBinding
  /** Which of the records that the sequence created in the collection, the latest first. */
  readonly at: number
  readonly seed: string
  /** Whether the request has something that the document forbids. */
  readonly isInvalid: boolean
  /** The only properties and parameters that get random values; absent for all. */
  readonly names?: readonly string[]
}

/** What random sequences are made of. */
export interface FuzzedOperations {
  readonly resources: readonly FuzzedResource[]
  /** Operations that change nothing. */
  readonly queries: readonly Operation[]
}

/** A resource whose records a run may create, and what it may do with them. */
interface FuzzedResource {
  readonly create: ResourceBinding
  readonly others: readonly (readonly [CommandKind, ResourceBinding])[]
}

/** The operations of a contract that random sequences are made of. */
export function fuzzedOperations(
  { contract }: Pick<Target, 'contract'>,
  { writes }: { readonly writes: boolean },
  isTested: (operation: Operation) => boolean,
): FuzzedOperations {
  const { all } = groupByResource(contract)
  return {
    resources: writes ? all.flatMap((one) => resourceIn(one, isTested)) : [],
    queries: contract.operations.filter((one) => one.method === 'GET' && isTested(one)),
  }
}

function resourceIn(
  { bindings }: BoundResource,
  isTested: (operation: Operation) => boolean,
): FuzzedResource[] {
  const { create, read, list, update, replace, remove } = bindings
  if (create?.operation.method !== 'POST' || !isTested(create.operation)) return []
  const onItem = [
    ['read', read],
    ['change', update],
    ['change', replace],
    ['remove', remove],
  ] as const
  const others = onItem.flatMap(([kind, one]) =>
    one && isItemOf(create.operation, one.operation) && isTested(one.operation)
      ? [[kind, one] as const]
      : [],
  )
  const isListed =
    list && isOnCollection(list.operation, create.operation) && isTested(list.operation)

  return [{ create, others: [...others, ...(isListed ? [['list', list] as const] : [])] }]
}

/** The most requests of a sequence after the first. */
const MAX_LENGTH = 9

/** Most requests change a record or read it: a removed one says little more. */
const WEIGHTS: Readonly<Record<CommandKind, number>> = {
  ...{ create: 0, query: 0 },
  ...{ read: 4, change: 3, list: 2, remove: 1 },
}

/** How often a request has something that the document forbids. */
const INVALID_PART = 0.25

/** A random sequence of requests; the first one creates a record, if the run may do that. */
export function randomCommands(
  { resources, queries }: FuzzedOperations,
  random: RandomSource,
): Command[] {
  const command = (
    kind: CommandKind,
    operation: Operation,
    more: Pick<Command, 'create' | 'binding'> = {},
  ): Command => ({
    ...{ kind, operation, ...more },
    // Faults are mostly between requests on one record.
    at: random.next() < 0.7 ? 0 : random.integer(1, 2),
    seed: String(random.integer(0, 2 ** 31)),
    isInvalid: random.next() < INVALID_PART,
  })
  const [query, resource] = [random.pick(queries), random.pick(resources)]
  const isQuery = query !== undefined && (!resource || random.next() < 0.2)
  if (isQuery) return [command('query', query)]
  if (!resource) return []
  const { create } = resource
  const others = resource.others.flatMap((one) =>
    Array.from({ length: WEIGHTS[one[0]] }, () => one),
  )
  const creation = (): Command => command('create', create.operation, { create, binding: create })
  const rest = Array.from({ length: random.integer(1, MAX_LENGTH) }, () => {
    const [kind, binding] = random.pick(others) ?? []
    return kind === undefined || binding === undefined || random.next() < 0.2
      ? creation()
      : command(kind, binding.operation, { create, binding })
  })
  return [{ ...creation(), isInvalid: false }, ...rest]
}
