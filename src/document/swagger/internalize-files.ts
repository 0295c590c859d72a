import { isObject } from '../../validation/objects.ts'
import {
  asObject,
  childOf,
  type JsonObject,
  MAX_VALUES,
  type Pointer,
  parseFragment,
  refOf,
  TooManyValuesError,
} from '../json-value.ts'
import type { LoadOptions } from '../load-options.ts'
import { Mistakes } from '../mistake.ts'
import { readReferenced } from '../read-source.ts'
import type { Source } from '../source.ts'
import { type Changeable, changeable } from './prepare-swagger.ts'

/** What a value is, which decides where the target of its `$ref` is put. */
type Kind = 'definitions' | 'parameters' | 'responses' | 'paths' | 'other'

/** The kinds of the values below some keys. A schema contains only schemas, whatever the names of its properties are. */
const KINDS: Readonly<Record<string, Kind>> = {
  schema: 'definitions',
  definitions: 'definitions',
  parameters: 'parameters',
  responses: 'responses',
  paths: 'paths',
}

/** A value that the document takes over from another file. */
interface TakenValue {
  readonly source: Source
  readonly pointer: Pointer
}

/** Path items can refer to each other. */
const MAX_INLINED = 50

/** The files of a Swagger document as one document: the converter reads only one. */
class InternalizedFiles {
  readonly #sources: ReadonlyMap<string, Source>
  readonly #root: Source
  /** The sections of the document that take over values. */
  readonly #added: Record<string, Changeable> = { definitions: {}, parameters: {}, responses: {} }
  /** The names of the values that were taken over, by section and URL. */
  readonly #names = new Map<string, string>()
  readonly #taken = new Map<string, TakenValue>()
  readonly #waiting: (readonly [section: Kind, name: string])[] = []
  #count = 0

  constructor(root: Source, sources: ReadonlyMap<string, Source>) {
    this.#root = root
    this.#sources = sources
  }

  /** The document, in which every `$ref` starts with `#`. */
  toDocument(): JsonObject {
    const document = changeable(this.#rewrite(this.#root.value, this.#root, 'other'))
    // Values that are taken over may refer to further ones.
    for (const [section, name] of this.#waiting) {
      const taken = this.#taken.get(`${section}/${name}`)
      const value = taken?.pointer.reduce(childOf, taken.source.value)
      if (!taken || value === undefined) continue
      changeable(this.#added[section])[name] = this.#rewrite(value, taken.source, section)
    }
    for (const [section, values] of Object.entries(this.#added)) {
      document[section] = { ...asObject(document[section]), ...values }
    }

    return document
  }

  /** The location of a value of the document in its own file. */
  locate(pointer: Pointer, part?: 'key' | 'value' | undefined): string {
    const [section, name, ...rest] = pointer
    const taken = this.#taken.get(`${section}/${name}`)

    return taken
      ? taken.source.locate([...taken.pointer, ...rest], part)
      : this.#root.locate(pointer, part)
  }

  #rewrite(value: unknown, source: Source, kind: Kind, depth = 0): unknown {
    this.#count += 1
    if (this.#count > MAX_VALUES) throw new TooManyValuesError()
    if (Array.isArray(value)) return value.map((item) => this.#rewrite(item, source, kind, depth))
    if (!isObject(value)) return value
    const ref = refOf(value)
    if (ref !== undefined) return this.#reference(value, ref, source, kind, depth)
    const entries = Object.entries(value).map(([key, child]) => {
      const inner = kind === 'definitions' ? kind : (KINDS[key] ?? kind)
      return [key, key.startsWith('x-') ? child : this.#rewrite(child, source, inner, depth)]
    })

    return Object.fromEntries(entries)
  }

  #reference(value: JsonObject, ref: string, from: Source, kind: Kind, depth: number): unknown {
    const source = this.#sources.get(fileOf(ref, from))
    // Left to the bundling of files, which reports it.
    if (!source) return value
    const fragment = ref.includes('#') ? ref.slice(ref.indexOf('#') + 1) : ''
    if (source === this.#root) return { ...value, $ref: `#${fragment}` }
    const pointer = parseFragment(fragment)
    if (kind === 'paths' || kind === 'other') {
      const target = pointer.reduce(childOf, source.value)
      return depth < MAX_INLINED ? this.#rewrite(target, source, kind, depth + 1) : {}
    }
    const name = this.#nameOf(kind, source, pointer)

    return { ...value, $ref: `#/${kind}/${name}` }
  }

  #nameOf(kind: Kind, source: Source, pointer: Pointer): string {
    const key = JSON.stringify([kind, source.url.href, ...pointer])
    const known = this.#names.get(key)
    if (known !== undefined) return known
    const file = source.url.pathname.split('/').pop() ?? ''
    const base = (pointer.at(-1) ?? file.replace(/\.\w+$/, '')).replace(/[^\w.-]/g, '_')
    const used = asObject(asObject(this.#root.value)[kind])
    let name = base
    for (let next = 2; Object.hasOwn(used, name) || this.#taken.has(`${kind}/${name}`); next += 1) {
      name = `${base}_${next}`
    }
    this.#names.set(key, name)
    this.#taken.set(`${kind}/${name}`, { source, pointer })
    this.#waiting.push([kind, name])

    return name
  }
}

/** The URL of the file that a `$ref` points to; empty when the `$ref` is not a URL. */
function fileOf(ref: string, { url }: Source): string {
  if (!URL.canParse(ref, url)) return ''
  const file = new URL(ref, url)
  file.hash = ''

  return file.href
}

/** Reads the files that a Swagger document refers to, and makes one document of them. */
export async function readFiles(root: Source, options: LoadOptions): Promise<Source> {
  const sources = new Map([[root.url.href, root]])

  // The map grows during the loop: a file may refer to further files.
  for (const source of sources.values()) {
    for (const [ref, pointer] of refsIn(source.value)) {
      const href = fileOf(ref, source)
      if (href === '' || sources.has(href)) continue
      const location = { source, pointer: [...pointer, '$ref'] }
      try {
        const reference = { ref, url: new URL(href), from: source, location }
        sources.set(href, await readReferenced(reference, root, options))
      } catch (error) {
        // The bundling of files reports a file that cannot be read.
        if (!(error instanceof Mistakes)) throw error
      }
    }
  }
  if (sources.size === 1) return root
  const files = new InternalizedFiles(root, sources)
  const value = files.toDocument()

  return {
    ...root,
    value,
    locate: (pointer, part) => files.locate(pointer, part),
    locateAll: (wanted) => wanted.map(({ pointer, part }) => files.locate(pointer, part)),
  }
}

/** The `$ref`s of a file, without those in extensions. */
function refsIn(
  value: unknown,
  pointer: Pointer = [],
  visited: Set<unknown> = new Set(),
): (readonly [ref: string, pointer: Pointer])[] {
  if ((!isObject(value) && !Array.isArray(value)) || visited.has(value)) return []
  visited.add(value)
  const ref = refOf(value)
  const inner = Object.entries(value).flatMap(([key, child]) =>
    key.startsWith('x-') ? [] : refsIn(child, [...pointer, key], visited),
  )

  return ref === undefined ? inner : [[ref, pointer], ...inner]
}
