import { encodePart } from '../../../http/encode-part.ts'
import type { CollectionCount } from './collection-details.ts'

/** A row of the list of collections. */
export interface CollectionRow {
  readonly name: string
  readonly count: number
  /** `template`: one that has a collection for each of its parents. `opened`: one of these collections. */
  readonly kind: 'plain' | 'template' | 'opened'
}

/** The collections as rows. Those that were used follow their template. `text` selects names. */
export function toRows(
  collections: readonly CollectionCount[],
  text: string,
): readonly CollectionRow[] {
  const wanted = text.trim().toLowerCase()
  return collections
    .flatMap(({ name, count, opened }): readonly CollectionRow[] => [
      { name, count, kind: opened ? 'template' : 'plain' },
      ...(opened ?? []).map((one): CollectionRow => ({ ...one, kind: 'opened' })),
    ])
    .filter(({ name }) => name.toLowerCase().includes(wanted))
}

/** The names of the parameters in a path such as `orgs/{org}/repos`. */
export function parametersOf(template: string): readonly string[] {
  return [...template.matchAll(/\{([^{}/]+)\}/g)].map(([, name = '']) => name)
}

/** The name of the collection below parents with these ids. */
export function fillPath(template: string, ids: Readonly<Record<string, string>>): string {
  return template.replace(/\{([^{}/]+)\}/g, (_, name: string) => encodePart(ids[name] ?? ''))
}
