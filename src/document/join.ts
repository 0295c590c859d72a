import { type Document, FILES, find, follow } from './document.ts'
import { type Mistake, Mistakes, refuse } from './mistake.ts'
import { isNode, type Node, nodeOf, type Path, pathOf, refOf } from './node.ts'
import { type LoadOptions, readReferenced } from './read-source.ts'
import type { Source } from './source.ts'

/** Reads every file that a document refers to and makes one document of them. */
export async function joinFiles(root: Source, options: LoadOptions): Promise<Document> {
  const sources = [root]
  const mistakes: Mistake[] = []

  // The list grows while it is walked: a file that was read may refer to further ones.
  for (const source of sources) {
    for (const { ref, path } of refsIn(source.value)) {
      try {
        const url = addressOf(ref, source, path)
        if (sources.some((known) => known.url.href === url.href)) continue
        const place = source.place([...path, '$ref'])
        sources.push(await readReferenced({ ref, url, from: source, place }, root, options))
      } catch (error) {
        if (!(error instanceof Mistakes)) throw error
        mistakes.push(...error.list)
      }
    }
  }
  refuse(mistakes)

  return joinSources(sources)
}

interface Ref {
  readonly ref: string
  readonly path: Path
}

/** The `$ref`s of a file, each where it is written down first: aliases stand for the same value. */
function refsIn(value: unknown, path: Path = [], seen: Set<unknown> = new Set()): Ref[] {
  if (typeof value !== 'object' || value === null || seen.has(value)) return []
  seen.add(value)
  const ref = refOf(value)
  const below = Object.entries(value).flatMap(([key, child]) => refsIn(child, [...path, key], seen))

  return ref === undefined ? below : [{ ref, path }, ...below]
}

function joinSources(sources: readonly Source[]): Document {
  const [own, ...others] = sources.map((source) => rewritten(source.value, source, sources))
  const files = Object.fromEntries(others.map((value, index) => [index + 1, value]))
  const root = { ...nodeOf(own), ...(others.length > 0 && { [FILES]: files }) }

  refuse([...sources.entries()].flatMap(([number, source]) => deadRefs(root, number, source)))

  return { root, sources }
}

/** The file that a `$ref` points to, without its fragment. */
function addressOf(ref: string, from: Source, path: Path): URL {
  try {
    const url = new URL(ref, from.url)
    url.hash = ''
    return url
  } catch {
    const place = from.place([...path, '$ref'])
    throw new Mistakes([
      { why: `the $ref "${ref}" is no address`, place, advice: 'Refer to a file or to "#/…".' },
    ])
  }
}

/** A copy of a value of one file, as it stands in the document in one piece. */
function rewritten(value: unknown, from: Source, sources: readonly Source[]): unknown {
  if (Array.isArray(value)) return value.map((item) => rewritten(item, from, sources))
  // Dates, from YAML's timestamps, stay as they are.
  if (!isNode(value) || value instanceof Date) return value
  const entries = Object.entries(value).map(([key, child]) => [
    key,
    rewritten(child, from, sources),
  ])
  const copy: Node = Object.fromEntries(entries)
  const ref = refOf(value)

  return ref === undefined ? copy : { ...copy, $ref: refWithin(ref, from, sources) }
}

function refWithin(ref: string, from: Source, sources: readonly Source[]): string {
  const { href } = addressOf(ref, from, [])
  const number = sources.findIndex((source) => source.url.href === href)
  const fragment = ref.includes('#') ? ref.slice(ref.indexOf('#') + 1) : ''

  return number > 0 ? `#/${FILES}/${number}${fragment}` : `#${fragment}`
}

/** What is wrong with `$ref`s of a file that lead nowhere; `root` holds all files. */
function deadRefs(root: Node, number: number, source: Source): Mistake[] {
  return refsIn(source.value).flatMap(({ ref, path }) => {
    const place = source.place([...path, '$ref'])
    const top = number > 0 ? [FILES, String(number)] : []
    const written = refOf(find({ root }, [...top, ...path])?.value)
    if (written === undefined) return []
    if (!/^#\/./.test(written) || /#[^/]/.test(ref)) {
      const advice = 'Write the place as a path, as "#/components/schemas/Name".'
      return [{ why: `the $ref "${ref}" names no place in the document`, place, advice }]
    }
    const target = find({ root }, pathOf(written))
    if (!target)
      return [{ why: `the $ref "${ref}" points to nothing`, place, advice: 'Check its spelling.' }]

    return follow({ root }, target)
      ? []
      : [
          {
            why: `the $ref "${ref}" leads back to itself`,
            place,
            advice: 'Let one of the chain be a schema.',
          },
        ]
  })
}
