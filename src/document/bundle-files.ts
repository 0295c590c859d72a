import { isObject } from '../validation/is-object.ts'
import { type Document, FILES, findValue, followRefs } from './document.ts'
import { type Pointer, parseFragment } from './json-pointer.ts'
import { asObject, type JsonObject, refOf } from './json-value.ts'
import { type Mistake, Mistakes, throwMistakes } from './mistake.ts'
import { type LoadOptions, readReferenced } from './read-source.ts'
import type { Source } from './source.ts'

/** Reads every file that a document refers to, and bundles them into one document. */
export async function bundleFiles(root: Source, options: LoadOptions): Promise<Document> {
  const sources = [root]
  const mistakes: Mistake[] = []

  // The list grows during the loop: a file may refer to further files.
  for (const source of sources) {
    for (const { ref, pointer } of refsIn(source.value)) {
      try {
        const url = resolveUrl(ref, source, pointer)
        if (sources.some((known) => known.url.href === url.href)) continue
        const location = source.locate([...pointer, '$ref'])
        sources.push(await readReferenced({ ref, url, from: source, location }, root, options))
      } catch (error) {
        if (!(error instanceof Mistakes)) throw error
        mistakes.push(...error.list)
      }
    }
  }
  throwMistakes(mistakes)

  return bundle(sources)
}

interface Ref {
  readonly ref: string
  readonly pointer: Pointer
}

/** The `$ref`s of a file. A YAML alias is the same object again, so its `$ref`s are listed once, where they are written. */
function refsIn(value: unknown, pointer: Pointer = [], visited: Set<unknown> = new Set()): Ref[] {
  if (typeof value !== 'object' || value === null || visited.has(value)) return []
  visited.add(value)
  const ref = refOf(value)
  const inner = Object.entries(value).flatMap(([key, child]) =>
    refsIn(child, [...pointer, key], visited),
  )

  return ref === undefined ? inner : [{ ref, pointer }, ...inner]
}

function bundle(sources: readonly Source[]): Document {
  const [own, ...others] = sources.map((source) => rewriteRefs(source.value, source, sources))
  const files = Object.fromEntries(others.map((value, index) => [index + 1, value]))
  const root = { ...asObject(own), ...(others.length > 0 && { [FILES]: files }) }

  throwMistakes(
    [...sources.entries()].flatMap(([index, source]) => refMistakes(root, index, source)),
  )

  return { root, sources }
}

/** The URL of the file that a `$ref` points to, without the fragment. */
function resolveUrl(ref: string, from: Source, pointer: Pointer): URL {
  try {
    const url = new URL(ref, from.url)
    url.hash = ''
    return url
  } catch {
    const reason = `the $ref "${ref}" is not a valid URL`
    const location = from.locate([...pointer, '$ref'])
    throw new Mistakes([{ reason, location, help: 'Refer to a file or to "#/…".' }])
  }
}

/** A copy of a value of one file whose `$ref`s point into the bundled document. */
function rewriteRefs(value: unknown, from: Source, sources: readonly Source[]): unknown {
  if (Array.isArray(value)) return value.map((item) => rewriteRefs(item, from, sources))
  // YAML timestamps are Dates.
  if (!isObject(value) || value instanceof Date) return value
  const entries = Object.entries(value).map(([key, child]) => [
    key,
    rewriteRefs(child, from, sources),
  ])
  const copy: JsonObject = Object.fromEntries(entries)
  const ref = refOf(value)

  return ref === undefined ? copy : { ...copy, $ref: bundledRef(ref, from, sources) }
}

function bundledRef(ref: string, from: Source, sources: readonly Source[]): string {
  const { href } = resolveUrl(ref, from, [])
  const index = sources.findIndex((source) => source.url.href === href)
  const fragment = ref.includes('#') ? ref.slice(ref.indexOf('#') + 1) : ''

  return index > 0 ? `#/${FILES}/${index}${fragment}` : `#${fragment}`
}

/** Finds the `$ref`s of a file that cannot be resolved. `root` holds all files. */
function refMistakes(root: JsonObject, fileIndex: number, source: Source): Mistake[] {
  return refsIn(source.value).flatMap(({ ref, pointer }) => {
    const location = source.locate([...pointer, '$ref'])
    const file = fileIndex > 0 ? [FILES, String(fileIndex)] : []
    const bundled = refOf(findValue({ root }, [...file, ...pointer])?.value)
    if (bundled === undefined) return []
    if (!/^#\/./.test(bundled) || /#[^/]/.test(ref)) {
      const reason = `the $ref "${ref}" does not end with a JSON Pointer`
      return [{ reason, location, help: 'Write a pointer such as "#/components/schemas/Name".' }]
    }
    const target = findValue({ root }, parseFragment(bundled))
    if (!target) {
      const reason = `the $ref "${ref}" points to a value that does not exist`
      return [{ reason, location, help: 'Check the spelling.' }]
    }
    if (followRefs({ root }, target)) return []

    const reason = `the $ref "${ref}" is part of a cycle that contains only $refs`
    return [{ reason, location, help: 'Replace one of them with a schema.' }]
  })
}
