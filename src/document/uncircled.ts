import { type Circles, findCircles } from './circles.ts'
import { type Document, find } from './document.ts'
import { isNode, type Node, type Path, pathOf, refOf } from './node.ts'

/** A copy of a document in which no schema contains itself: where one did, it takes any value. */
export function uncircled(document: Document): Node {
  const circles = findCircles(document)
  const circular = new Set(circles.within(document.root).map((path) => path.join('\n')))

  function copy(value: unknown, path: Path, isInside: boolean): unknown {
    const isWithin = isInside || circular.has(path.join('\n'))
    if (Array.isArray(value))
      return value.map((item, index) => copy(item, [...path, String(index)], isWithin))
    if (!isNode(value) || value instanceof Date) return value
    if (isWithin && isCircularRef(value, document, circles)) return {}

    return Object.fromEntries(
      Object.entries(value).map(([key, child]) => [key, copy(child, [...path, key], isWithin)]),
    )
  }

  return copy(document.root, [], false) as Node
}

function isCircularRef(value: unknown, document: Document, circles: Circles): boolean {
  const ref = refOf(value)
  const target = ref === undefined ? undefined : find(document, pathOf(ref))

  return target !== undefined && circles.has(target.path)
}
