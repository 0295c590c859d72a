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
