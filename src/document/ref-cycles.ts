import { isObject } from '../validation/is-object.ts'
import { type Document, findValue, refTarget } from './document.ts'
import { type Pointer, pointerKey } from './json-pointer.ts'
import { type JsonObject, refOf } from './json-value.ts'

/** The values of a document that contain themselves through `$ref`s. */
interface RefCycles {
  /** Whether the value at a pointer contains a `$ref` that leads back to it. */
  has(pointer: Pointer): boolean
}

/** The targets of `$ref`s, by the keys of their pointers. */
type Targets = ReadonlyMap<string, Pointer>

/** Finds the cycles among the `$ref`s of a document. Visits each value once. */
function findRefCycles(document: Document): RefCycles {
  const cache = new Map<unknown, Targets>()

  /** The targets of the `$ref`s that are written within a value. */
  function targetsIn(value: unknown): Targets {
    const targets = cache.get(value) ?? collectTargets(value)
    cache.set(value, targets)

    return targets
  }

  function collectTargets(value: unknown): Targets {
    if (typeof value !== 'object' || value === null) return new Map()
    const target = refTarget(document, value)
    const inner = Object.values(value).flatMap((child) => [...targetsIn(child)])
    const own: [string, Pointer][] = target ? [[pointerKey(target.pointer), target.pointer]] : []

    return new Map([...own, ...inner])
  }

  const next = (pointer: Pointer): Targets => targetsIn(findValue(document, pointer)?.value)
  const cyclic = findCyclicNodes(targetsIn(document.root), next)

  function has(pointer: Pointer): boolean {
    return cyclic.has(pointerKey(pointer))
  }

  return { has }
}

/** The nodes of a graph that are on a cycle: its strongly connected components, by Tarjan's algorithm. */
function findCyclicNodes(all: Targets, next: (pointer: Pointer) => Targets): ReadonlySet<string> {
  const indexes = new Map<string, number>()
  const stack: string[] = []
  const cyclic = new Set<string>()

  function visit(key: string, pointer: Pointer): number {
    const index = indexes.size
    indexes.set(key, index)
    stack.push(key)
    let lowLink = index
    for (const [targetKey, target] of next(pointer)) {
      if (targetKey === key) cyclic.add(key)
      if (!indexes.has(targetKey)) lowLink = Math.min(lowLink, visit(targetKey, target))
      else if (stack.includes(targetKey)) {
        lowLink = Math.min(lowLink, indexes.get(targetKey) ?? lowLink)
      }
    }
    if (lowLink === index) popComponent(key)

    return lowLink
  }

  function popComponent(key: string): void {
    const component = stack.splice(stack.indexOf(key))
    if (component.length > 1) for (const member of component) cyclic.add(member)
  }

  for (const [key, pointer] of all) if (!indexes.has(key)) visit(key, pointer)

  return cyclic
}

/** A copy of a document without cycles: a schema that would contain itself accepts any value there. */
export function withoutRefCycles(document: Document): JsonObject {
  const cycles = findRefCycles(document)

  function copy(value: unknown, pointer: Pointer, isInCycle: boolean): unknown {
    const isInside = isInCycle || cycles.has(pointer)
    if (Array.isArray(value)) {
      return value.map((item, index) => copy(item, [...pointer, String(index)], isInside))
    }
    if (!isObject(value) || value instanceof Date) return value
    const target = isInside ? refTarget(document, value) : undefined
    if (target && cycles.has(target.pointer)) return {}
    // Loading has reported references that lead nowhere, and those in extensions are not followed.
    const isUnresolved = refOf(value) !== undefined && !refTarget(document, value)
    const entries = Object.entries(value).filter(([key]) => key !== '$ref' || !isUnresolved)

    return Object.fromEntries(
      entries.map(([key, child]) => [key, copy(child, [...pointer, key], isInside)]),
    )
  }

  return copy(document.root, [], false) as JsonObject
}
