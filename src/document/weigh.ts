import { find } from './document.ts'
import type { Mistake } from './mistake.ts'
import { type Node, pathOf, refOf } from './node.ts'
import type { Source } from './source.ts'

/** Far above the largest public documents; past it, checking would take minutes and gigabytes. */
const MOST_VALUES = 10_000_000

/**
 * Refuses a few lines of `$ref`s that stand for billions of values. The document must hold no
 * circles.
 */
export function overweight(root: Node, sources: readonly Source[]): Mistake[] {
  const weights = new Map<unknown, number>()

  function weigh(value: unknown): number {
    if (typeof value !== 'object' || value === null) return 1
    const known = weights.get(value)
    if (known !== undefined) return known
    const ref = refOf(value)
    const target = ref === undefined ? undefined : find({ root }, pathOf(ref))
    const weight = Object.values(value).reduce(
      (sum: number, child) => sum + weigh(child),
      1 + weigh(target?.value),
    )
    weights.set(value, weight)

    return weight
  }

  if (weigh(root) <= MOST_VALUES) return []
  const why = `its $refs stand for more than ${MOST_VALUES.toLocaleString('en')} values`

  return [{ why, place: sources[0]?.name ?? '', advice: 'Let the schemas nest less.' }]
}
