import type { Operation } from '../contract/contract.ts'
import type { OperationHints, ResourceHints } from '../contract/resource-hints.ts'
import { correctFields, correctResources } from './correct-resources.ts'
import type { GivenHints, GivenOperationHints } from './given-hints.ts'

/** The hints of a document. Each is found when it is first needed, because that reads the schemas of its operations. */
export interface Inference {
  of(operation: Operation): OperationHints
  /** The names that resources can have. */
  readonly names: readonly string[]
  /** A resource by its name; `undefined` when nothing describes its records. */
  resource(name: string): ResourceHints | undefined
}

/**
 * Corrects what was inferred by the hints of the document. A hint replaces the field of its name as a whole, and `false` removes
 * it. With `inference: false`, only the hints count. `operations` are those of the document.
 */
export function applyHints(
  inferred: Inference,
  given: GivenHints,
  operations: readonly Operation[],
): Inference {
  const before = given.inference ? inferred : NOTHING
  const { names, resource, renamed } = withPaths(before, given.paths)
  const of = (operation: Operation): OperationHints => {
    const hints = given.operations.get(operation.id)
    if (!hints) return renamed(before.of(operation))
    const corrected = correctOperation(renamed(before.of(operation)), hints)
    const isBound = corrected.action === 'stateless' || resource(corrected.resource ?? '')
    return isBound ? corrected : UNBOUND
  }

  // Only hints say what happens later, so few operations are read.
  const later = operations.filter(({ id }) => given.operations.get(id)?.after)

  return {
    of,
    names,
    resource: (name) => {
      const hints = resource(name)
      const changesLater = hints && later.some((operation) => of(operation).resource === name)
      return changesLater ? { ...hints, changesLater } : hints
    },
  }
}

/** An operation of a resource that a hint removed. */
const UNKNOWN: OperationHints = { action: 'stateless', reason: 'hint' }

/** What an operation does of which no hint says anything. */
const UNSAID: OperationHints = { action: 'stateless', reason: 'no-action' }

const NOTHING: Inference = { of: () => UNSAID, names: [], resource: () => undefined }

/** An operation of a resource that does not exist. */
const UNBOUND: OperationHints = { action: 'stateless', reason: 'no-record' }

interface CorrectedPaths extends Pick<Inference, 'names' | 'resource'> {
  /** The hints of an operation with the name that its resource has now. */
  renamed(hints: OperationHints): OperationHints
}

function withPaths(before: Inference, paths: GivenHints['paths']): CorrectedPaths {
  // Without hints for paths, no resource is read that is not needed.
  if (paths.size === 0)
    return { names: before.names, resource: before.resource, renamed: (hints) => hints }
  const inferred = before.names.flatMap((name) => before.resource(name) ?? [])
  const { resources, names } = correctResources(inferred, paths)
  const byName = new Map(resources.map((resource) => [resource.name, resource]))

  return {
    names: [...byName.keys()],
    resource: (name) => byName.get(name),
    renamed: (hints) => rename(hints, names),
  }
}

function rename(hints: OperationHints, names: ReadonlyMap<string, string>): OperationHints {
  if (hints.resource === undefined) return hints
  const resource = names.get(hints.resource)
  if (resource === undefined) return UNKNOWN

  return resource === hints.resource ? hints : { ...hints, resource }
}

function correctOperation(inferred: OperationHints, given: GivenOperationHints): OperationHints {
  const { action: _action, reason: _reason, ...optional } = inferred
  const { action: _given, reason, ...corrections } = given
  const action = actionOf(inferred, given)
  if (action === 'stateless') return { action, reason: reason || 'hint' }

  return { action, ...correctFields(optional, corrections) }
}

function actionOf(
  inferred: OperationHints,
  { action, resource, set, from, after }: GivenOperationHints,
): OperationHints['action'] {
  if (resource === false) return 'stateless'
  if (action) return action
  // What changes a record is an action on it.
  return inferred.action === 'stateless' && (set || from || after) ? 'act' : inferred.action
}
