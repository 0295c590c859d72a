import type { Schema } from '../contract/contract.ts'
import { surelyMatches } from './matches.ts'

/** Longer examples are not looked at. */
const MAX_CHARACTERS = 4000

/** The first example or default of the schemas that all of them allow; `undefined` when there is none. */
export function exampleFor(applied: readonly Schema[]): unknown {
  // The schemas of an `allOf` precede the one that contains it, whose example is more specific.
  const examples = [...applied].reverse().flatMap(examplesOf)
  return examples.find(
    (example) =>
      example !== undefined &&
      JSON.stringify(example).length <= MAX_CHARACTERS &&
      applied.every((schema) => surelyMatches(schema, example)),
  )
}

function examplesOf({ example, examples, default: fallback }: Schema): readonly unknown[] {
  return [example, ...(Array.isArray(examples) ? examples : []), fallback]
}
