/** Headers as pairs of name and value. */
export type HeaderList = readonly (readonly [name: string, value: string])[]

/** The value of the first header of this lower-case name. */
export function headerIn(headers: HeaderList, name: string): string | undefined {
  return headers.find(([known]) => known.toLowerCase() === name)?.[1]
}
