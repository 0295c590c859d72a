/** Of a longer name, the rest says nothing. */
const MAX_LENGTH = 100

/** The words of a name in lower case, joined by `_`: `firstName`, `first-name` and `FIRST_NAME` become `first_name`. */
export function normalizeName(name: string): string {
  return name
    .slice(0, MAX_LENGTH)
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1_$2')
    .replace(/[^A-Za-z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '')
    .toLowerCase()
}
