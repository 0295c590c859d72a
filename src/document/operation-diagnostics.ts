import type { Diagnostic, OperationDiagnostics } from './diagnostic.ts'
import type { DiagnosticsCollector } from './diagnostics.ts'
import { type Document, FILES, findValue, refTarget, walkRefs } from './document.ts'
import { asObject, type Pointer, pointerKey } from './json-value.ts'
import { type Mistake, type Place, withoutEqual } from './mistake.ts'
import { operationIdsOf, operationsOf } from './operations.ts'
import type { SchemaMistake } from './schemas/schema-mistake.ts'

/**
 * Creates a function that groups the mistakes of a document by operation. The document is checked once, when the function is called
 * first. Mistakes that are found later, as when a response cannot be generated, are in the later results.
 */
export function createOperationDiagnostics(
  document: Document,
  known: DiagnosticsCollector,
  findMistakes: () => Promise<readonly (Mistake | SchemaMistake)[]>,
): () => Promise<OperationDiagnostics> {
  let checking: Promise<readonly (Mistake | SchemaMistake)[]> | undefined
  let grouped: { readonly count: number; readonly result: OperationDiagnostics } | undefined

  return async () => {
    checking ??= findMistakes()
    const found = await checking
    // Locating mistakes reads the files again.
    if (grouped?.count !== known.count) {
      grouped = { count: known.count, result: groupByOperation(document, known, found) }
    }
    return grouped.result
  }
}

function groupByOperation(
  document: Document,
  known: DiagnosticsCollector,
  found: readonly (Mistake | SchemaMistake)[],
): OperationDiagnostics {
  const operationsOf = operationsAt(document)
  const groups = new Map<string, Diagnostic[]>()
  for (const { diagnostic, location } of known.locateWith(found)) {
    if (typeof location === 'string') continue
    for (const id of operationsOf(location)) {
      const group = groups.get(id) ?? []
      group.push(diagnostic)
      groups.set(id, group)
    }
  }

  return new Map([...groups].map(([id, list]) => [id, withoutEqual(list)]))
}

/** What contains a value: operations or their path item, and the targets of `$ref`s. */
interface Containers {
  readonly operations: readonly string[]
  readonly targets: readonly string[]
}

interface Index {
  /** The places of the `$ref`s to each target. */
  readonly refs: ReadonlyMap<string, readonly Pointer[]>
  /** The ids of the operations at each pointer. Several paths may share a path item. */
  readonly operations: ReadonlyMap<string, readonly string[]>
  /** The ids of the operations of each path item. */
  readonly items: ReadonlyMap<string, readonly string[]>
  /** What contains each `$ref`, as far as it was asked. */
  readonly containers: Map<Pointer, Containers>
}

/**
 * Finds the ids of the operations that a place of a document concerns: those that contain it, those of the path item that contains it,
 * and those that reach it by `$ref`s. None for places that concern the whole document.
 */
function operationsAt(document: Document): (place: Place) => readonly string[] {
  const index = indexOf(document)
  const steps = { left: MAX_STEPS }
  const known = new Map<string, readonly string[]>()

  return ({ source, pointer }) => {
    const at = document.sources.indexOf(source)
    const { operations, targets } = containersOf(
      at > 0 ? [FILES, String(at), ...pointer] : pointer,
      index,
    )
    const key = targets.join('\n\n')
    const reached = known.get(key) ?? operationsThatReach(targets, index, steps)
    known.set(key, reached)

    return [...new Set([...operations, ...reached])]
  }
}

/** How many `$ref`s are followed for the mistakes of a document. Thousands of `$ref`s in a row would need millions of steps. */
const MAX_STEPS = 1_000_000

/** The operations whose `$ref`s lead to one of the targets, directly or through other targets, as far as there are steps left. */
function operationsThatReach(
  targets: readonly string[],
  index: Index,
  steps: { left: number },
): readonly string[] {
  const operations = new Set<string>()
  const reached = new Set(targets)
  // The set grows during the loop.
  for (const target of reached) {
    for (const ref of index.refs.get(target) ?? []) {
      steps.left -= 1
      if (steps.left < 0) return [...operations]
      const containers = index.containers.get(ref) ?? containersOf(ref, index)
      index.containers.set(ref, containers)
      for (const id of containers.operations) operations.add(id)
      for (const one of containers.targets) reached.add(one)
    }
  }
  return [...operations]
}

function containersOf(pointer: Pointer, { refs, operations, items }: Index): Containers {
  const keys = pointer.map((_, at) => pointerKey(pointer.slice(0, at + 1)))
  const own = keys.findIndex((key) => operations.has(key))
  // An operation does not concern the others of its path item, which may be the target of a `$ref`.
  const inner = own === -1 ? keys : keys.slice(own)

  return {
    operations: inner.flatMap((key) => operations.get(key) ?? items.get(key) ?? []),
    targets: inner.filter((key) => refs.has(key)),
  }
}

function indexOf(document: Document): Index {
  const entries = operationsOf(document)
  const ids = operationIdsOf(entries)
  const operations = new Map<string, string[]>()
  const items = new Map<string, string[]>()
  for (const [at, { pointer, template }] of entries.entries()) {
    const id = ids[at] ?? ''
    addTo(operations, pointerKey(findValue(document, pointer)?.pointer ?? pointer), id)
    addTo(items, pointerKey(['paths', template]), id)
  }

  return { refs: refsOf(document), operations, items, containers: new Map() }
}

function addTo<Value>(lists: Map<string, Value[]>, key: string, value: Value): void {
  const known = lists.get(key)
  if (known) known.push(value)
  else lists.set(key, [value])
}

function refsOf(document: Document): ReadonlyMap<string, readonly Pointer[]> {
  const refs = new Map<string, Pointer[]>()
  const files = Object.entries(asObject(document.root[FILES]))
  const parts: readonly (readonly [unknown, Pointer])[] = [
    [document.root, []],
    ...files.map(([key, value]) => [value, [FILES, key]] as const),
  ]
  for (const [part, prefix] of parts) {
    walkRefs(part, (object, pointer) => {
      const target = refTarget(document, object)
      if (!target) return
      addTo(refs, pointerKey(target.pointer), [...prefix, ...pointer()])
    })
  }
  return refs
}
