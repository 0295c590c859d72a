import { isObject } from '../validation/objects.ts'
import { shortened } from '../validation/usage-error.ts'
import { type Document, FILES, findValue, followRefs, isNamed, walkRefs } from './document.ts'
import { asObject, type JsonObject, type Pointer, parseFragment, refOf } from './json-value.ts'
import type { LoadOptions } from './load-options.ts'
import { type Mistake, Mistakes } from './mistake.ts'
import { type FileReference, readReferenced } from './read-source.ts'
import type { Source } from './source.ts'

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
  given: Source,
  options: LoadOptions,
): Promise<{ readonly document: Document; readonly mistakes: readonly Mistake[] }> {
  const root = withRecordsRef(given)
  const mistakes: Mistake[] = []
  const files: Referrer[] = [{ source: root, refs: refsIn(root, mistakes) }]
  const failed = new Set<string>()
  const isRead = (href: string): boolean =>
    failed.has(href) || files.some(({ source }) => source.url.href === href)

  // The list grows during the loop: a file may refer to further files.
  for (const { source, refs } of files) {
    for (const one of refs.filter(({ ref }) => isToFile(ref, source))) {
      try {
        const url = resolveUrl(one, source)
        if (isRead(url.href)) continue
        failed.add(url.href)
        const other = await readReferenced({ ...referenceOf(one, source), url }, root, options)
        files.push({ source: other, refs: refsIn(other, mistakes) })
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

/** The file with the first records is read as a reference. In the document it is a name, because other tools follow each `$ref`. */
function withRecordsRef(root: Source): Source {
  const value = asObject(root.value)
  const hints = asObject(value['x-sandbox'])
  if (typeof hints.records !== 'string') return root

  return {
    ...root,
    value: { ...value, 'x-sandbox': { ...hints, records: { $ref: hints.records } } },
    locate: (...where) => root.locate(...where),
    locateAll: (wanted) => root.locateAll(wanted),
  }
}

/** Whether a `$ref` leads to another file, and does not name a schema of its own file by the `$id`. */
function isToFile(ref: string, source: Source): boolean {
  return !ref.startsWith('#') && !isNamed(asObject(source.value), ref)
}

function referenceOf({ ref, pointer }: Ref, from: Source): Omit<FileReference, 'url'> {
  return { ref, from, location: { source: from, pointer: [...pointer, '$ref'] } }
}

/** The `$ref`s of a file. Those that are no text are mistakes. */
function refsIn(source: Source, mistakes: Mistake[]): readonly Ref[] {
  const refs: Ref[] = []
  walkRefs(source.value, (object, pointer) => {
    const ref = refOf(object)
    if (ref !== undefined) refs.push({ ref, object, pointer: pointer() })
    else if (Object.hasOwn(object, '$ref')) {
      const reason = `a $ref must be a string (got ${shortened(JSON.stringify(object.$ref) ?? '')})`
      const location = { source, pointer: [...pointer(), '$ref'] }
      mistakes.push({ reason, location, assumed: 'it is ignored', help: 'Write it as "#/…".' })
    }
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
function resolveUrl(one: Ref, from: Source): URL {
  const url = URL.canParse(one.ref, from.url.href) ? new URL(one.ref, from.url) : undefined
  if (url) {
    url.hash = ''
    return url
  }
  const { location } = referenceOf(one, from)
  const reason = `the $ref "${one.ref}" is not a valid URL`
  throw new Mistakes([{ reason, location, help: 'Refer to a file or to "#/…".' }])
}

/** A copy of the value of a file whose `$ref`s point into the bundled document. */
function withRewrittenRefs({ source, refs }: Referrer, sources: readonly Source[]): unknown {
  const rewritten = new Map<unknown, string>(
    refs.map((one) => [one.object, bundledRef(one, source, sources)]),
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
function bundledRef(one: Ref, from: Source, sources: readonly Source[]): string {
  const { ref } = one
  if (!URL.canParse(ref, from.url.href)) return ref
  const { href } = resolveUrl(one, from)
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
  const isBundled = document.sources.length > 1
  const file = fileIndex > 0 ? [FILES, String(fileIndex)] : []
  const isUnread = (one: Ref): boolean =>
    !URL.canParse(one.ref, source.url.href) || failed.has(resolveUrl(one, source).href)

  return refs.flatMap((one): Mistake[] => {
    const { ref, pointer } = one
    if (!ref.startsWith('#') && isUnread(one)) return []
    const found = isBundled ? findValue(document, [...file, ...pointer])?.value : { $ref: ref }
    const bundled = refOf(found)
    if (bundled === undefined || followRefs(document, { value: found, pointer: [] })) return []
    const { location } = referenceOf(one, source)
    const isCycle =
      bundled.startsWith('#/') && findValue(document, parseFragment(bundled)) !== undefined

    return isCycle
      ? [
          {
            reason: `the $ref "${ref}" is part of a cycle or a very long chain of $refs`,
            location,
            assumed: ANYTHING,
            help: 'Replace one of them with its target.',
          },
        ]
      : [
          {
            reason: `the $ref "${ref}" points to a value that does not exist`,
            location,
            assumed: ANYTHING,
            help: 'Check the spelling.',
          },
        ]
  })
}
