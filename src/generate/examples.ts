import type { Schema } from '../contract/contract.ts'
import { surelyMatches } from './matches.ts'
import { once } from './memo.ts'
import type { RandomSource } from './random-source.ts'

/** Longer examples are not looked at. */
const MAX_CHARACTERS = 4000

/** The first example or default of the schemas that all of them allow; `undefined` when there is none. */
export const exampleFor: (applied: readonly Schema[]) => unknown = once((applied) => {
  // The schemas of an `allOf` precede the one that contains it, whose example is more specific.
  const examples = [...applied].reverse().flatMap(examplesOf)
  return examples.find(
    (example) =>
      example !== undefined &&
      JSON.stringify(example).length <= MAX_CHARACTERS &&
      applied.every((schema) => surelyMatches(schema, example)),
  )
})

function examplesOf({ example, examples, default: fallback }: Schema): readonly unknown[] {
  return [example, ...(Array.isArray(examples) ? examples : []), fallback]
}

/** Longer texts are no codes, so other digits would make no sense in them. */
const MAX_VARIED = 60

/** Texts like the examples of the schemas, for items that must not all be equal: those with digits get other ones. */
export function textsLikeExamples(
  applied: readonly Schema[],
  random: RandomSource,
): { readonly varied: readonly string[]; readonly plain: readonly string[] } {
  const texts = applied.flatMap(examplesOf).filter((one) => typeof one === 'string')
  const isCode = (text: string): boolean => /\d/.test(text) && text.length <= MAX_VARIED
  const other = (digit: string): string => (digit === '0' ? digit : String(random.integer(1, 9)))

  return {
    varied: texts.filter(isCode).map((text) => text.replace(/\d/g, other)),
    plain: texts.filter((text) => !isCode(text)),
  }
}
