import type { Diagnostic } from './diagnostic.ts'
import { type Document, FILES, locationOf, walkRefs } from './document.ts'
import { asObject, type Pointer } from './json-value.ts'
import { type LocatedMistake, locateMistakes, type Mistake, toDiagnostics } from './mistake.ts'
import type { SchemaMistake } from './schemas/schema-mistake.ts'

/** The mistakes of a document that is served nevertheless. */
export interface Diagnostics {
  /** How many mistakes are known until now. */
  readonly count: number
  /** The known mistakes from an index (default: 0) to another (default: all). Finding their locations reads the files again. */
  list(start?: number, end?: number): readonly Diagnostic[]
  /** Calls the function when mistakes are found from now on, as when a schema is used for the first time. */
  onFound(listener: () => void): void
}

/** Collects the mistakes of a document. */
export class DiagnosticsCollector implements Diagnostics {
  readonly #mistakes: (Mistake | SchemaMistake)[] = []
  readonly #listeners: (() => void)[] = []
  readonly #document: Document | undefined

  /** `document` is that in which the mistakes of schemas are located. */
  constructor(document?: Document) {
    this.#document = document
  }

  get count(): number {
    return this.#mistakes.length
  }

  add(...mistakes: readonly (Mistake | SchemaMistake)[]): void {
    if (mistakes.length === 0) return
    for (const mistake of mistakes) this.#mistakes.push(mistake)
    for (const listener of this.#listeners) listener()
  }

  list(start?: number, end?: number): readonly Diagnostic[] {
    return toDiagnostics(this.#locate(this.#mistakes.slice(start, end)))
  }

  /** The known mistakes and others, with their places. */
  locateWith(others: readonly (Mistake | SchemaMistake)[]): readonly LocatedMistake[] {
    return locateMistakes(this.#locate([...this.#mistakes, ...others]))
  }

  onFound(listener: () => void): void {
    this.#listeners.push(listener)
  }

  #locate(mistakes: readonly (Mistake | SchemaMistake)[]): readonly Mistake[] {
    const document = this.#document
    const ofSchemas = mistakes.flatMap((one) => ('object' in one ? [one] : []))
    const pointers = document ? pointersOf(document, ofSchemas) : new Map<object, Pointer>()

    return mistakes.map((one) => {
      if (!('object' in one)) return one
      const { object, keyword, name, isLoop: _, ...mistake } = one
      const pointer = pointers.get(object)
      const keys = [keyword, name].filter((key) => key !== undefined)
      const part = name === undefined ? 'value' : 'key'
      const location =
        document && pointer ? locationOf(document, [...pointer, ...keys], part) : 'the document'
      return { ...mistake, location, detail: 'keyword' as const }
    })
  }
}

/** The pointers of objects of a document, found by one walk through it. */
function pointersOf(
  document: Document,
  mistakes: readonly SchemaMistake[],
): ReadonlyMap<object, Pointer> {
  const wanted = new Set<object>(mistakes.map(({ object }) => object))
  const pointers = new Map<object, Pointer>()
  if (wanted.size === 0) return pointers
  const files = asObject(document.root[FILES])
  const parts: [unknown, Pointer][] = [
    [document.root, []],
    ...Object.entries(files).map(([key, value]): [unknown, Pointer] => [value, [FILES, key]]),
  ]
  for (const [part, prefix] of parts) {
    walkRefs(part, (object, pointer) => {
      if (wanted.has(object)) pointers.set(object, [...prefix, ...pointer()])
    })
  }
  return pointers
}
