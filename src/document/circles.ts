import { type Document, find, targetOf } from './document.ts'
import { isNode, keyOf, type Node, type Path } from './node.ts'

/** The values of a document that contain themselves by way of `$ref`s. */
export interface Circles {
  /** Whether what stands at a path contains a `$ref` that leads back to it. */
  has(path: Path): boolean
  /** The paths of those that a value contains, at any depth. */
  within(value: unknown): Path[]
}

/** Where `$ref`s lead, by their paths' keys. */
type Targets = ReadonlyMap<string, Path>

/** Looks for circles among the `$ref`s of a document, each value once. */
export function findCircles(document: Document): Circles {
  const known = new Map<unknown, Targets>()

  /** Where the `$ref`s written within a value lead. */
  function targetsOf(value: unknown): Targets {
    const targets = known.get(value) ?? lookUp(value)
    known.set(value, targets)

    return targets
  }

  function lookUp(value: unknown): Targets {
    if (typeof value !== 'object' || value === null) return new Map()
    const target = targetOf(document, value)
    const below = Object.values(value).flatMap((child) => [...targetsOf(child)])
    const own: [string, Path][] = target ? [[keyOf(target.path), target.path]] : []

    return new Map([...own, ...below])
  }

  const next = (path: Path): Targets => targetsOf(find(document, path)?.value)
  const circular = circularIn(targetsOf(document.root), next)

  function within(value: unknown): Path[] {
    const reached = new Map(targetsOf(value))
    // The map grows while it is walked.
    for (const path of reached.values()) {
      for (const [key, target] of next(path)) reached.set(key, target)
    }

    return [...reached.values()].filter(has)
  }

  function has(path: Path): boolean {
    return circular.has(keyOf(path))
  }

  return { has, within }
}

/** The strongly connected components of a graph that hold a circle, after Tarjan. */
function circularIn(all: Targets, next: (path: Path) => Targets): ReadonlySet<string> {
  const order = new Map<string, number>()
  const open: string[] = []
  const circular = new Set<string>()

  function visit(key: string, path: Path): number {
    const index = order.size
    order.set(key, index)
    open.push(key)
    let low = index
    for (const [target, targetPath] of next(path)) {
      if (target === key) circular.add(key)
      if (!order.has(target)) low = Math.min(low, visit(target, targetPath))
      else if (open.includes(target)) low = Math.min(low, order.get(target) ?? low)
    }
    if (low === index) close(key)

    return low
  }

  function close(key: string): void {
    const component = open.splice(open.indexOf(key))
    if (component.length > 1) for (const member of component) circular.add(member)
  }

  for (const [key, path] of all) if (!order.has(key)) visit(key, path)

  return circular
}

/** A copy of a document in which no schema contains itself: where one did, it takes any value. */
export function uncircled(document: Document): Node {
  const circles = findCircles(document)

  function copy(value: unknown, path: Path, isInside: boolean): unknown {
    const isWithin = isInside || circles.has(path)
    if (Array.isArray(value))
      return value.map((item, index) => copy(item, [...path, String(index)], isWithin))
    if (!isNode(value) || value instanceof Date) return value
    const target = isWithin ? targetOf(document, value) : undefined
    if (target && circles.has(target.path)) return {}

    return Object.fromEntries(
      Object.entries(value).map(([key, child]) => [key, copy(child, [...path, key], isWithin)]),
    )
  }

  return copy(document.root, [], false) as Node
}
