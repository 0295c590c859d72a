import { normalizeName } from './name-words.ts'
import type { RandomSource } from './random-source.ts'

const DAY = 86_400_000

/** What the name of a date tells about it. The first rule that fits counts. */
const RULES: readonly (readonly [
  name: RegExp,
  momentOf: (times: Times, random: RandomSource) => number,
])[] = [
  [/birth|dob$/, ({ now }, random) => now - random.integer(20 * 365, 60 * 365) * DAY],
  [
    /expir|due|next|renew|deadline|schedul|valid_(to|until|thru)|estimated|eta$|trial_end/,
    ({ now }, random) => now + random.integer(2, 300) * DAY,
  ],
  [/creat|regist|joined|sign(ed)?_?up|inserted|opened|added/, ({ created }) => created],
  [
    /(^|_)(start|begin|from|since|valid_from|departure|check_?in|open|min|after)/,
    ({ created }) => created + DAY,
  ],
  [
    /(^|_)(end|until|to|stop|arrival|return|check_?out|close|max|before)(_|$|s|ed|ing)/,
    ({ created }, random) => created + random.integer(2, 12) * DAY,
  ],
  [
    /updat|modif|edit|changed|last|delet|remov|archiv|cancel|complet|finish|closed/,
    ({ now, created }, random) => created + (now - created) * (0.5 + random.next() / 2.1),
  ],
]

interface Times {
  readonly now: number
  /** When the object that contains the date was created. */
  readonly created: number
}

/**
 * A plausible date for a name, in epoch milliseconds. Dates of one object fit each other: it is created before it is updated, and
 * it starts before it ends.
 */
export function momentFor(
  name: string,
  now: number,
  { random, subject }: { readonly random: RandomSource; readonly subject: RandomSource },
): number {
  const created = now - subject.part('created').integer(30 * DAY, 700 * DAY)
  const normalized = normalizeName(name)
  const [, rule] = RULES.find(([known]) => known.test(normalized)) ?? []
  const moment = rule
    ? rule({ now, created }, random)
    : created + Math.min(now - created, random.integer(0, 25 * DAY))

  return Math.floor(moment / 1000) * 1000
}
