import { isObject } from '../../validation/objects.ts'
import type { Pointer } from '../json-pointer.ts'
import { refOf } from '../json-value.ts'
import { Mistakes } from '../mistake.ts'
import type { Source } from '../source.ts'
import type { LoadOptions } from '../sources/load-options.ts'
import { readReferenced } from '../sources/read-source.ts'
import { fileOf, InternalizedFiles } from './internalize-files.ts'

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
