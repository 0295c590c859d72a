import type { RandomSource } from './random-source.ts'
import { WORDS } from './words.ts'

/** Words that are written with a capital letter, such as "Amber bridge". */
export function phrase(random: RandomSource, count = 2): string {
  const text = Array.from({ length: count }, () => random.pick(WORDS)).join(' ')
  return text.charAt(0).toUpperCase() + text.slice(1)
}
