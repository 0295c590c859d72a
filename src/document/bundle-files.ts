import { isObject } from '../validation/is-object.ts'
import { type Document, FILES, findValue, followRefs } from './document.ts'
import { type Pointer, parseFragment } from './json-pointer.ts'
import { asObject, type JsonObject, refOf } from './json-value.ts'
import { type Mistake, Mistakes } from './mistake.ts'
import { type LoadOptions, readReferenced } from './read-source.ts'
import { isNamed } from './schema-names.ts'
import type { Source } from './source.ts'
import { walkRefs } from './walk-refs.ts'

/** A `$ref` of a file. */
interface Ref {
  readonly ref: string
  readonly object: JsonObject
  readonly pointer: Pointer
}

/** A file with its `$ref`s. */
interface Referrer {
  readonly source: Source
  readonly refs: readonly Ref[]
}

/** What a reference that cannot be resolved stands for. */
const ANYTHING = 'it stands for anything'

/**
 * Reads every file that a document refers to, and bundles them into one document. References that cannot be resolved are
 * mistakes; the bundle has no target for them.
 */
export async function bundleFiles(
  root: Source,
  options: LoadOptions,
): Promise<{ readonly document: Document; readonly mistakes: readonly Mistake[] }> {
  const files: Referrer[] = [{ source: root, refs: refsIn(root.value) }]
  const mistakes: Mistake[] = []
  const failed = new Set<string>()

  // The list grows during the loop: a file may refer to further files.
  for (const { source, refs } of files) {
    for (const { ref, pointer } of refs) {
      if (ref.startsWith('#') || isNamed(asObject(source.value), ref)) continue
      try {
        const url = resolveUrl(ref, source, pointer)
        if (failed.has(url.href) || files.some((known) => known.source.url.href === url.href))
          continue
        failed.add(url.href)
        const location = { source, pointer: [...pointer, '$ref'] }
        const other = await readReferenced({ ref, url, from: source, location }, root, options)
        files.push({ source: other, refs: refsIn(other.value) })
        failed.delete(url.href)
      } catch (error) {
        if (!(error instanceof Mistakes)) throw error
        mistakes.push(...error.list.map((mistake) => ({ ...mistake, assumed: ANYTHING })))
      }
    }
  }
  const document = bundle(files)
  const unresolved = files.flatMap((file, index) => refMistakes(document, index, file, failed))

  return { document, mistakes: [...mistakes, ...unresolved] }
}

function refsIn(value: unknown): readonly Ref[] {
  const refs: Ref[] = []
  walkRefs(value, (object, pointer) => {
    const ref = refOf(object)
    if (ref !== undefined) refs.push({ ref, object, pointer: pointer() })
  })
  return refs
}

/** A document of one file needs no copy. */
function bundle(files: readonly Referrer[]): Document {
  const sources = files.map(({ source }) => source)
  if (files.length === 1) return { root: asObject(sources[0]?.value), sources }
  const [own, ...others] = files.map((file) => withRewrittenRefs(file, sources))
  const bundled = Object.fromEntries(others.map((value, index) => [index + 1, value]))

  return { root: { ...asObject(own), [FILES]: bundled }, sources }
}

/** The URL of the file that a `$ref` points to, without the fragment. */
function resolveUrl(ref: string, from: Source, pointer: Pointer): URL {
  try {
    const url = new URL(ref, from.url)
    url.hash = ''
    return url
  } catch {
    const reason = `the $ref "${ref}" is not a valid URL`
    const location = { source: from, pointer: [...pointer, '$ref'] }
    throw new Mistakes([{ reason, location, help: 'Refer to a file or to "#/…".' }])
  }
}

/** A copy of the value of a file whose `$ref`s point into the bundled document. */
function withRewrittenRefs({ source, refs }: Referrer, sources: readonly Source[]): unknown {
  const rewritten = new Map<unknown, string>(
    refs.map(({ ref, object }) => [object, bundledRef(ref, source, sources)]),
  )
  const copies = new Map<unknown, unknown>()

  function copy(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(copy)
    if (!isObject(value)) return value
    const known = copies.get(value)
    if (known) return known
    const entries = Object.entries(value).map(([key, child]) => [key, copy(child)])
    const $ref = rewritten.get(value)
    const copied = { ...Object.fromEntries(entries), ...($ref !== undefined && { $ref }) }
    copies.set(value, copied)
    return copied
  }

  return copy(source.value)
}

/** A `$ref` that cannot be resolved stays as it is. */
function bundledRef(ref: string, from: Source, sources: readonly Source[]): string {
  if (!URL.canParse(ref, from.url.href)) return ref
  const { href } = resolveUrl(ref, from, [])
  const index = sources.findIndex((source) => source.url.href === href)
  const fragment = ref.includes('#') ? ref.slice(ref.indexOf('#') + 1) : ''
  if (index === -1 || /^[^/]/.test(fragment)) return ref

  return index > 0 ? `#/${FILES}/${index}${fragment}` : `#${fragment}`
}

/** Finds the `$ref`s of a file that cannot be resolved, except those to files that could not be read. */
function refMistakes(
  document: Document,
  fileIndex: number,
  { source, refs }: Referrer,
  failed: ReadonlySet<string>,
): Mistake[] {
  const file = fileIndex > 0 ? [FILES, String(fileIndex)] : []
  return refs.flatMap(({ ref, pointer }) => {
    const location = { source, pointer: [...pointer, '$ref'] }
    if (!ref.startsWith('#') && isUnread(ref, source, failed)) return []
    const here =
      document.sources.length === 1 ? undefined : findValue(document, [...file, ...pointer])
    const bundled = here ? refOf(here.value) : ref
    if (bundled === undefined) return []
    const mistake = (reason: string, help: string): Mistake[] => [
      { reason: `the $ref "${ref}" ${reason}`, location, assumed: ANYTHING, help },
    ]
    const object = { $ref: bundled }
    const end = followRefs(document, { value: object, pointer: [] })
    if (end) return []
    const target = bundled.startsWith('#/')
      ? findValue(document, parseFragment(bundled))
      : undefined
    if (target) {
      return mistake(
        'is part of a cycle that contains only $refs',
        'Replace one of them with a schema.',
      )
    }
    return mistake('points to a value that does not exist', 'Check the spelling.')
  })
}

function isUnread(ref: string, from: Source, failed: ReadonlySet<string>): boolean {
  if (!URL.canParse(ref, from.url.href)) return true
  return failed.has(resolveUrl(ref, from, []).href)
}
