import { onceByText } from '../validation/objects.ts'

/** A list of words. */
export function list(text: string): readonly string[] {
  return text.split(' ')
}

/** What texts of no particular meaning are made of. */
export const WORDS: readonly string[] = list(
  'amber autumn bridge candle cedar cobalt coral delta ember field forest garden harbour hazel island ivory jade ' +
    'lantern linden marble meadow mirror morning north ocean orchard paper pebble quartz river saffron shadow silver ' +
    'stone summer thistle timber valley velvet violet walnut window winter',
)

/** What things are like, and what they are, for names of two words. */
export const QUALITIES: readonly string[] = list(
  'amber autumn bright calm clear cobalt copper coral crimson deep early fair gentle golden green hazel hidden high ivory jade ' +
    'lively marble misty modern northern open pale quiet saffron shady silver southern spring summer sunny swift velvet violet ' +
    'western white winter',
)
export const THINGS: readonly string[] = list(
  'arch basin bay beacon bridge brook canyon cedar cove creek delta ember field forest garden gate grove harbour haven hill ' +
    'island lake lantern linden meadow mill mirror orchard peak pebble pond quarry ridge river shore summit thistle valley ' +
    'walnut window',
)

/** Of a longer name, the rest says nothing. */
const MAX_LENGTH = 100

/** The words of a name in lower case, joined by `_`: `firstName`, `first-name` and `FIRST_NAME` become `first_name`. */
export const normalizeName: (name: string) => string = onceByText((name) =>
  name
    .slice(0, MAX_LENGTH)
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1_$2')
    .replace(/[^A-Za-z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '')
    .toLowerCase(),
)
